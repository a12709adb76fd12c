// FedVS without any coding: the same quantised integers summed in the clear. It follows the plans
// that a run has recorded (rows, versions, who shared when), so that its losses must be the run's
// to the last bit.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fedvs/data/prepared.h"
#include "fedvs/job/job.h"
#include "fedvs/protocol/client/local_model.h"
#include "fedvs/protocol/server/learner.h"
#include "fedvs/protocol/server/records.h"
#include "fedvs/sim/seeded_secrets.h"

namespace fedvs::testing {

class PlaintextTwin {
 public:
  // `agreement` outlives the twin.
  PlaintextTwin(const Job& job, const data::PreparedJob& prepared,
                const protocol::Agreement& agreement);

  // May be called again, with the records that follow.
  std::vector<double> replay(std::span<const protocol::RoundRecord> records);
  // Of the test rows, with everybody's model after the last round: the final evaluation.
  std::vector<float> final_probabilities();
  // The same with models that are so many rounds older, per client: late ones are not waited for.
  model::Metrics final_metrics(std::span<const int> ages);

 private:
  void learn(const protocol::RoundRecord& record, double& loss);
  std::vector<float> probabilities(std::span<const int> ages);
  void finish_round(double rate_factor);  // the clients' half of the round learned last
  std::vector<std::int64_t> sums(const protocol::Plan& plan) const;
  void add_client(const protocol::Plan& plan, int client, std::vector<std::int64_t>& sums) const;

  const Job job_;
  const protocol::Agreement& agreement_;
  sim::SeededSecrets secrets_;
  std::vector<protocol::LocalModel> clients_;
  std::unique_ptr<protocol::Learner> learner_;
  std::shared_ptr<const protocol::Gradient> gradient_;
  int epoch_ = 0;           // of the last round
  int central_epochs_ = 0;  // after which the central model's rate was scaled
};

}  // namespace fedvs::testing
