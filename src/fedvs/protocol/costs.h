// What a job sends, from public facts, before anything runs. (What it keeps: memory.h; what it
// exposes: exposure.h)
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
  double seeds;        // of zero masks: sent to all other clients, once
  double round_sent;   // all of the above per round
  double round_received;
};
Costs costs_of(const Agreement& agreement);

}  // namespace fedvs::protocol
