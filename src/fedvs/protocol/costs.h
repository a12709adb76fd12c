// What a job sends and exposes, from public facts, before anything runs. (What it keeps: memory.h)
#pragma once
#include <cstdint>

#include "fedvs/protocol/agreement.h"

namespace fedvs::protocol {

struct Costs {
  // Bytes of one client: the average over the clients where they differ.
  double data_share;   // sent to each other client, once
  double model_share;  // to each other client, per shared version
  double upload;       // per round
  double gradient;     // received per round
  double masks;        // zero-mask shares received, and on average sent, per round
  double round_sent;   // all of the above per round
  double round_received;
};
Costs costs_of(const Agreement& agreement);

// h times the openings of a row, over the sum of d_n D_n. From 1 on, the sums determine the
// features up to a change of basis, and lattice reduction may recover narrow data: no mask can hide
// this.
double exposure(const Agreement& agreement);
// The same for the group of T+2 clients with the fewest features: where groups lag differently, the
// server may at best tell their sums apart.
double group_exposure(const Agreement& agreement);

}  // namespace fedvs::protocol
