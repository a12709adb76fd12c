// What a job sends and computes, step by step and all in all, from public facts, before anything
// runs. Messages say these sizes themselves, and tests/protocol/costs_test.cc compares them with
// what a simulated run has sent. (What it keeps: sim/memory.h; what it exposes: exposure.h)
#pragma once
#include <cstdint>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

// ---- bytes of one message, without what transport adds
// Data preparation: `rows` coded rows of one client, to one other.
std::size_t data_share_bytes(const Agreement& agreement, int client, std::size_t rows);
// Before training, too: what a maker of mask seeds tells one other, the commitments to all that it
// makes and those of the seeds that the other may know.
std::size_t seed_share_bytes(std::size_t commitments, std::size_t seeds);
// Step 1: a version of one client's model, to one other.
std::size_t model_share_bytes(const Agreement& agreement, int client);
// Step 3: the upload for a plan of `rows` coded rows, with what its sender holds.
std::size_t upload_bytes(const Agreement& agreement, std::size_t rows);
std::size_t holdings_bytes(const Agreement& agreement);  // of others' models
// Steps 4 and 5: what is broadcast, the gradient of a plan of `gradient_rows` coded rows (0: none)
// and the next plan of `plan_rows` (0: none).
std::size_t step_bytes(const Agreement& agreement, std::size_t gradient_rows,
                       std::size_t plan_rows);

// ---- multiply-adds of a task, of one party. `central_macs`: of the central model's forward pass,
// per row; learning is three of them
double multiply_adds(const Agreement& agreement, int party, const Work& work, double central_macs);

// ---- a job
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
