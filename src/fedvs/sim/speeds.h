// How long the parties' machines compute, by the job's rates. Evaluations take no time.
#pragma once
#include "fedvs/job/job.h"
#include "fedvs/protocol/costs.h"

namespace fedvs::sim {

class Speeds {
 public:
  // `central_macs`: multiply-adds of the central model's forward pass, per row. All outlive it.
  Speeds(const SimJob& job, const protocol::Agreement& agreement, double central_macs)
      : job_(job), agreement_(agreement), central_macs_(central_macs) {}

  double seconds(int party, const protocol::Work& work) const {
    if (work.evaluation) return 0;
    const double macs = protocol::multiply_adds(agreement_, party, work, central_macs_);
    return macs / (1e9 * (party == protocol::kServer ? job_.server_gmacs : job_.client_gmacs));
  }

 private:
  const SimJob& job_;
  const protocol::Agreement& agreement_;
  double central_macs_;
};

}  // namespace fedvs::sim
