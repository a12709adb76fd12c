#include "fedvs/baselines/synchronous.h"
#include "fedvs/baselines/vafl.h"

namespace fedvs::baselines {

Result<std::unique_ptr<sim::Trial>> make_plain_trial(const Job& job, data::PreparedJob prepared,
                                                     protocol::Observer& observer) {
  FEDVS_TRY(auto parties, Parties::create(job, std::move(prepared)));
  if (job.method == Method::kVafl) {
    return std::unique_ptr<sim::Trial>(new Vafl(job, std::move(parties), observer));
  }
  return std::unique_ptr<sim::Trial>(new Synchronous(job, std::move(parties), observer));
}

}  // namespace fedvs::baselines
