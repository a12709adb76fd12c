#include "fedvs/protocol/client/plan_book.h"

#include <fmt/format.h>

#include "fedvs/protocol/groups.h"

namespace fedvs::protocol {
namespace {

constexpr double kClipSlack = 1 + 1e-5;  // values are cut in double and sent as floats

Error refused(std::string reason) { return {ErrorCode::kRefused, std::move(reason)}; }

}  // namespace

PlanBook::PlanBook(int client, const Agreement& agreement, const ClientOptions& options)
    : agreement_(agreement), guard_(agreement), groups_(agreement.shape.parties, options.groups) {
  guard_.bind(groups_.bound());
  if (options.verify) heads_.emplace(agreement, client, options.run, options.verify);
}

Status PlanBook::accept_groups(const std::shared_ptr<const Groups>& groups) {
  FEDVS_TRY_STATUS(guard_.accept_groups(*groups));
  groups_.note(groups);
  return {};
}

void PlanBook::forget_groups() {
  guard_.forget_groups();
  groups_.forget();
}

Status PlanBook::accept(const Step& step, const Digest& content) {
  FEDVS_TRY_STATUS(check_head(step, content));
  return guard_.accept(*step.plan, {step.frozen, step.released});
}

// Groups that were told apart from plans are in no content: a plan that leaves them out could hide
// that others were told other ones.
Status PlanBook::check_head(const Step& step, const Digest& content) const {
  if (!heads_) return {};
  if (!step.head) return refused("a plan that the server has not signed");
  if (groups_.of_run() && !step.groups) {
    return refused("a plan without the groups that were told before");
  }
  return heads_->check_next(*step.head, content);
}

Status PlanBook::accept_missed(const Step& step, const Digest& content) {
  if (!step.head) return refused("a missed plan that the server has not signed");
  FEDVS_TRY_STATUS(heads_->check_next(*step.head, content));
  if (step.groups) FEDVS_TRY_STATUS(accept_groups(step.groups));
  FEDVS_TRY_STATUS(guard_.accept(*step.plan, {step.frozen, step.released}));
  open_.withdraw();
  heads_->take_next(*step.head, content);
  return {};
}

// The next round's, and of the very plan that this client accepted: a gradient of another plan
// could let some clients learn and others not. One that came back has missed plans until it accepts
// the next one; theirs must be plans that it could have accepted.
// Departs: the round of the welcome is no limit to that. It is the server's word, and rounds go on
// while a client catches up.
Status PlanBook::check_gradient(const Gradient& gradient, StepNumber received, bool behind) const {
  const Plan& plan = gradient.plan();
  if (agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0) {
    return refused("a gradient where a trained model scores rows");
  }
  if (plan.round != received) {
    return refused(fmt::format("a gradient of round {} after {} gradients", plan.round, received));
  }
  const double longest = gradient.longest_row(agreement_.width);
  if (!(longest <= kClipSlack * agreement_.gradient_clip)) {
    return refused(fmt::format("a gradient with a row of norm {}; train.gradient_clip is {}",
                               longest, agreement_.gradient_clip));
  }
  if (open_.has_trained_on(plan)) return {};
  if (behind) return guard_.check_missed(plan);
  return refused(fmt::format("a gradient of a plan for round {} that this client has not accepted",
                             plan.round));
}

Status PlanBook::bind_as_others(const std::vector<Groups>& said) {
  Groups bound = binding_groups(agreement_, said, groups_.bound());
  if (!groups_.bound().empty() && !same_partition(bound, groups_.bound())) {
    return refused(
        "other clients are bound to other groups by an earlier run over the same rows: "
        "the server told clients different ones, and sums of both single clients out");
  }
  groups_.bind(std::move(bound));
  guard_.bind(groups_.bound());
  return {};
}

Status PlanBook::recall(const Step& step) {
  const PlanGuard::Exceptions exceptions{step.frozen, step.released};
  PlanGuard judged = guard_;  // what it refuses leaves nothing behind
  if (step.groups) FEDVS_TRY_STATUS(judged.accept_groups(*step.groups));
  FEDVS_TRY_STATUS(judged.accept(*step.plan, exceptions));
  if (step.groups) FEDVS_TRY_STATUS(accept_groups(step.groups));
  FEDVS_TRY_STATUS(guard_.accept(*step.plan, exceptions));
  if (heads_ && step.head) heads_->recall(*step.head, Digest{});  // signed itself: none needed
  return {};
}

Status PlanBook::restore_guard(ByteReader& in, const std::string& notes) {
  ByteReader guard(notes);
  FEDVS_TRY_STATUS(guard_.restore(guard));
  FEDVS_TRY(auto groups, KnownGroups::read(in));
  if (groups.empty()) return {};
  return accept_groups(std::make_shared<const Groups>(std::move(groups)));
}

Status PlanBook::restore_heads(const std::string& bytes) {
  ByteReader in(bytes);
  if (heads_) FEDVS_TRY_STATUS(heads_->restore(in));
  return {};
}

}  // namespace fedvs::protocol
