// Methods wait, ignore and wait-dp: rounds of one common batch.
#pragma once
#include "fedvs/baselines/batches.h"
#include "fedvs/baselines/plain_trial.h"
#include "fedvs/baselines/rounds.h"

namespace fedvs::baselines {

class Synchronous final : public PlainTrial {
 public:
  // ignore closes a round at the first N - S answers, S the stragglers of the delay model: the
  // aggregate is over those, and only they learn. The others wait for all N.
  Synchronous(const Job& job, std::unique_ptr<Parties> parties, protocol::Observer& observer);

 private:
  Round train_round(std::uint64_t round) override;
  Status replay(std::uint64_t rounds) override;

  Batches batches_;
  Rounds rounds_;
};

}  // namespace fedvs::baselines
