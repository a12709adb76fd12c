#include "fedvs/protocol/client/plan_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/groups.h"

namespace fedvs::protocol {
namespace {

template <class... Args>
Error refusal(fmt::format_string<Args...> text, Args&&... args) {
  return Error{ErrorCode::kRefused, fmt::format(text, std::forward<Args>(args)...)};
}

Groups everybody(int parties) {
  Groups groups(1);
  for (int n = 0; n < parties; ++n) groups[0].push_back(n);
  return groups;
}

bool flagged(const std::vector<bool>& flags, std::size_t client) {
  return client < flags.size() && flags[client];
}

bool same_step(const Plan& plan, int a, int b) {
  const auto& left = plan.versions[static_cast<std::size_t>(a)];
  const auto& right = plan.versions[static_cast<std::size_t>(b)];
  return left.has_value() == right.has_value() && (!left || left->step == right->step);
}

}  // namespace

PlanGuard::PlanGuard(const Agreement& agreement)
    : agreement_(agreement),
      groups_(everybody(agreement.shape.parties)),
      released_at_(static_cast<std::size_t>(agreement.shape.parties)) {
  for (int part = 0; part < data::kParts; ++part) {
    vector_of_row_[part].resize(agreement.coded_rows(static_cast<data::Part>(part)));
  }
}

Status PlanGuard::accept_groups(const Groups& groups) {
  if (groups_fixed_) {
    if (groups == groups_) return {};
    return refusal("groups changed during the run; they are fixed once");
  }
  FEDVS_TRY_STATUS(check_partition(agreement_, groups));
  if (!bound_.empty() && !same_partition(groups, bound_)) {
    return refusal(
        "other groups than those of an earlier run over the same rows, which would single clients "
        "out; a run over these rows has to use the groups of before");
  }
  groups_ = groups;
  groups_fixed_ = true;
  return {};
}

void PlanGuard::forget_groups() {
  groups_ = everybody(agreement_.shape.parties);
  groups_fixed_ = false;
}

bool PlanGuard::repeats_last(const Plan& plan) const {
  return last_ && last_->revision == plan.revision && *last_ == plan;
}

Status PlanGuard::check_order(const Plan& plan) const {
  if (plan.revision == std::numeric_limits<std::uint64_t>::max()) {
    return refusal("revision {}, after which there is none", plan.revision);
  }
  if (last_ && plan.revision <= last_->revision) {
    return refusal("revision {} came after revision {}; a client never goes back", plan.revision,
                   last_->revision);
  }
  const std::uint64_t last_round = last_ ? last_->round : 0;
  if (plan.round < last_round || plan.epoch < epoch_) {
    return refusal("round {} of epoch {} came after round {} of epoch {}", plan.round, plan.epoch,
                   last_round, epoch_);
  }
  return {};
}

Status PlanGuard::check_rows(const Plan& plan) const {
  // Rows are opened once per epoch, and a job has so many: more would tell more about them. What
  // follows the last one is evaluated only.
  if (plan.epoch < 0 || plan.epoch > agreement_.epochs - (plan.training() ? 1 : 0)) {
    return refusal("epoch {} of a job of {}", plan.epoch, agreement_.epochs);
  }
  if (plan.rows.empty() || plan.rows.size() > agreement_.most_rows()) {
    return refusal("a plan of {} coded rows; 1 to {} are agreed", plan.rows.size(),
                   agreement_.most_rows());
  }
  std::vector<bool> named(vector_of_row_[static_cast<int>(plan.part)].size(), false);
  for (std::size_t row : plan.rows) {
    if (row >= named.size() || named[row]) {
      return refusal("coded row {} is named twice or beyond the last of {}", row, named.size());
    }
    named[row] = true;
  }
  return {};
}

Status PlanGuard::check_rows_opened(const Plan& plan, const Digest& id) const {
  const auto& seen = vector_of_row_[static_cast<int>(plan.part)];
  for (std::size_t row : plan.rows) {
    if (plan.epoch == epoch_ && seen[row] != 0 && vectors_[seen[row] - 1] != id) {
      return refusal("coded row {} was uploaded in epoch {} with other model versions", row,
                     plan.epoch);
    }
  }
  return {};
}

// With its whole group, as check_groups sees to; so not as a released client, which may differ from
// its group. Not where rows are scored: groups are not remembered there, and other ones in the next
// scoring of a row would single clients out.
bool PlanGuard::may_be_left_out(std::size_t client, const Exceptions& exceptions) const {
  const bool scores = agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0;
  return agreement_.late_models == LateModels::kDrop && !scores &&
         !flagged(exceptions.frozen, client) && !flagged(exceptions.released, client);
}

Status PlanGuard::check_versions(const Plan& plan, const Exceptions& exceptions) const {
  if (plan.versions.size() != static_cast<std::size_t>(agreement_.shape.parties)) {
    return refusal("a plan with versions of {} clients instead of {}", plan.versions.size(),
                   agreement_.shape.parties);
  }
  for (std::size_t n = 0; n < plan.versions.size(); ++n) {
    const auto& version = plan.versions[n];
    const auto name = [&] { return agreement_.name(static_cast<int>(n)); };
    if (!version) {
      if (may_be_left_out(n, exceptions)) continue;
      return refusal("{} is left out of the sum, which only late_models = drop may do, by groups",
                     name());
    }
    const bool may_be_old = flagged(exceptions.frozen, n);
    if (version->step > plan.round) {
      return refusal("{}'s version {} is newer than round {}", name(), version->step, plan.round);
    }
    const auto max_age = static_cast<std::uint64_t>(agreement_.max_age);
    if (!may_be_old && plan.round - version->step > max_age) {
      return refusal("{}'s version {} is {} rounds old; max_age is {}", name(), version->step,
                     plan.round - version->step, agreement_.max_age);
    }
  }
  return {};
}

Status PlanGuard::check_groups(const Plan& plan, const Exceptions& exceptions) const {
  const bool may_release = agreement_.on_dead == OnDead::kRelease;
  for (const auto& group : groups_) {
    std::optional<int> first;
    for (int member : group) {
      if (may_release && flagged(exceptions.released, static_cast<std::size_t>(member))) continue;
      if (!first) first = member;
      if (!same_step(plan, *first, member)) {
        return refusal("the versions of clients{} and{} differ, but they are in one group",
                       agreement_.listed(*first), agreement_.listed(member));
      }
    }
  }
  return {};
}

// A frozen group may be of any age, and like every group moves as a whole or not at all. No more
// clients may be released than may be missing.
Status PlanGuard::check_static(const Plan& plan, const Exceptions& exceptions) const {
  FEDVS_TRY_STATUS(check_rows(plan));
  FEDVS_TRY_STATUS(check_versions(plan, exceptions));
  FEDVS_TRY_STATUS(check_groups(plan, exceptions));
  const auto released = std::ranges::count(exceptions.released, true);
  if (released > agreement_.shape.parties - agreement_.uploads_needed()) {
    return refusal("{} clients released; a run goes on without {} at the most", released,
                   agreement_.shape.parties - agreement_.uploads_needed());
  }
  return {};
}

// A released client's version stands still for good, so that the server cannot move it alone.
Status PlanGuard::check_released(const Plan& plan, const Exceptions& exceptions) const {
  for (std::size_t n = 0; n < released_at_.size(); ++n) {
    if (!released_at_[n]) continue;
    const auto& version = plan.versions[n];
    if (!flagged(exceptions.released, n) || !version || version->step != *released_at_[n]) {
      return refusal("{} was stopped at version {} and moves again",
                     agreement_.name(static_cast<int>(n)), *released_at_[n]);
    }
  }
  return {};
}

Status PlanGuard::judge(const Plan& plan, const Digest& id, const Exceptions& exceptions) const {
  FEDVS_TRY_STATUS(check_order(plan));
  FEDVS_TRY_STATUS(check_static(plan, exceptions));
  FEDVS_TRY_STATUS(check_rows_opened(plan, id));
  return check_released(plan, exceptions);
}

Status PlanGuard::accept(const Plan& plan, const Exceptions& exceptions) {
  const Digest id = version_vector_id(plan);
  FEDVS_TRY_STATUS(judge(plan, id, exceptions));
  remember(plan, id, exceptions);
  return {};
}

void PlanGuard::remember(const Plan& plan, const Digest& id, const Exceptions& exceptions) {
  for (std::size_t n = 0; n < released_at_.size(); ++n) {
    const bool released = flagged(exceptions.released, n);
    if (released && !released_at_[n] && plan.versions[n]) released_at_[n] = plan.versions[n]->step;
  }
  if (plan.epoch != epoch_) {
    for (auto& rows : vector_of_row_) std::ranges::fill(rows, 0u);
    vectors_.clear();
  }
  epoch_ = plan.epoch;
  last_ = plan;
  // A vector that comes again later is kept twice, which is cheaper than to look for it.
  if (vectors_.empty() || vectors_.back() != id) vectors_.push_back(id);
  const auto place = static_cast<std::uint32_t>(vectors_.size());
  for (std::size_t row : plan.rows) vector_of_row_[static_cast<int>(plan.part)][row] = place;
}

}  // namespace fedvs::protocol
