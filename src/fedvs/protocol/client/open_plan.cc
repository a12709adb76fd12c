#include "fedvs/protocol/client/open_plan.h"

#include "fedvs/protocol/client/plan_guard.h"
#include "fedvs/protocol/of_client.h"

namespace fedvs::protocol {

void OpenPlan::open(std::shared_ptr<const Plan> plan, const Digest& content) {
  plan_ = std::move(plan);
  if (plan_->training()) trained_ = plan_;
  content_ = content;
  uploading_ = false;
  versions_found_ = 0;
}

void OpenPlan::begin_life() {
  plan_.reset();
  uploading_ = false;
}

bool OpenPlan::has_trained_on(const Plan& plan) const {
  return trained_ && (trained_.get() == &plan || *trained_ == plan);  // in one process: the object
}

bool OpenPlan::versions_are_on(const ShareShelf& shelf) {
  for (; versions_found_ < static_cast<int>(plan_->versions.size()); ++versions_found_) {
    const auto& version = of_client(plan_->versions, versions_found_);
    if (version && !shelf.holds(versions_found_, *version)) return false;
  }
  return true;
}

}  // namespace fedvs::protocol
