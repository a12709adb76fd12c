// How long training rounds take, found out without training: a dry world on the same virtual clock,
// with the same delays, links and rates. Nothing in the control flow depends on values, so a dry
// run with the seed of a run has its very times, late models included.
#pragma once
#include <cstddef>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/prepared.h"
#include "fedvs/job/job.h"
#include "fedvs/protocol/agreement.h"

namespace fedvs::sim {

// What everybody may know of the data.
struct PublicFacts {
  std::vector<int> features;  // per client
  std::size_t rows[data::kParts] = {0, 0, 0};
  int classes = 2;
};

inline Result<protocol::Agreement> agree(const Job& job, const PublicFacts& facts) {
  return protocol::agree(job, facts.features, facts.rows, facts.classes);
}

// When the first `rounds` rounds of job.sim.seed were opened, in virtual seconds since the first
// plan. Epochs repeat beyond train.epochs; compute is modelled whatever sim.compute says; of long
// epochs and of evaluations, only as many rows as matter. kTooFewShares and others as in a run.
Result<std::vector<double>> dry_run(Job job, const PublicFacts& facts, double central_macs,
                                    std::size_t rounds);

}  // namespace fedvs::sim
