// Plans that a client has not been asked to answer, since it was away: it is told of them, and of
// their gradients. A gradient of a plan that names one client only would let that client learn
// alone, and the next sums would tell its Gram matrix.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fedvs/protocol/client/plan_guard.h"

namespace fedvs::protocol {
namespace {

Error refusal(std::string text) { return Error{ErrorCode::kRefused, std::move(text)}; }

}  // namespace

// Archived gradients come without the exceptions of their time, which were the server's word
// anyway. A plan shows them: a group beyond max_age was frozen, and where dead clients are released
// a member that differs from most of its group was.
PlanGuard::Exceptions PlanGuard::shown_by(const Plan& plan) const {
  Exceptions shown;
  for (const auto& version : plan.versions) {
    const bool newer = version && version->step > plan.round;
    const auto max_age = static_cast<std::uint64_t>(agreement_.max_age);
    shown.frozen.push_back(version && !newer && plan.round - version->step > max_age);
  }
  shown.released.assign(plan.versions.size(), false);
  if (agreement_.on_dead != OnDead::kRelease) return shown;
  for (const auto& group : groups_) show_released(plan, group, shown);
  return shown;
}

void PlanGuard::show_released(const Plan& plan, std::span<const int> group,
                              Exceptions& shown) const {
  std::map<std::optional<StepNumber>, int> members;  // by step; none: left out
  const auto step_of = [&](int n) {
    const auto& version = plan.versions[static_cast<std::size_t>(n)];
    return version ? std::optional(version->step) : std::nullopt;
  };
  for (int n : group) ++members[step_of(n)];
  const auto most = std::ranges::max_element(members, {}, [](const auto& m) { return m.second; });
  for (int n : group) {
    const auto client = static_cast<std::size_t>(n);
    const bool known = released_at_[client] && released_at_[client] == step_of(n);
    shown.released[client] = known || step_of(n) != most->first;
  }
}

// Revisions grow with rounds. Of the round of the last plan that was accepted it is that plan, or a
// revision that came after it.
Status PlanGuard::check_missed(const Plan& plan) const {
  if (!plan.training()) return refusal("a gradient of a plan that only evaluates");
  if (plan.versions.size() != static_cast<std::size_t>(agreement_.shape.parties)) {
    return refusal(fmt::format("a plan with versions of {} clients instead of {}",
                               plan.versions.size(), agreement_.shape.parties));
  }
  const Exceptions shown = shown_by(plan);
  FEDVS_TRY_STATUS(check_static(plan, shown));
  if (!last_) return {};
  const bool same = plan.revision == last_->revision && plan.round == last_->round &&
                    (last_->rows.empty() || *last_ == plan);  // no rows: restored, not in full
  const bool in_order =
      plan.round < last_->round ? plan.revision < last_->revision : plan.revision > last_->revision;
  if (!same && !in_order) {
    return refusal(fmt::format(
        "a gradient of revision {} for round {}, though this client accepted revision {} for "
        "round {}",
        plan.revision, plan.round, last_->revision, last_->round));
  }
  return plan.revision > last_->revision ? check_released(plan, shown) : Status{};
}

}  // namespace fedvs::protocol
