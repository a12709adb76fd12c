// Another plan in place of one that too few can answer.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

// The next revision of the plan, if another would do better. An abandoned plan counts as opened:
// the new one keeps rows and versions, or takes other rows.
Tasks Server::revise(double now) {
  const int needed = agreement_.uploads_needed();
  if (!roll().everybody_reported() && now < waits_.deadline) return {};
  waits_.reports_requested = false;
  Plan other = *open_.plan;
  other.versions = policy_.name(course_.round, VersionPolicy::Choice::kOnlyHeld);
  const bool withheld = roll().names_withheld(other.versions);
  if (roll().uploads_possible() >= needed && !withheld) return {};  // they are just slow
  if (roll().enough_hold(*open_.plan) && !withheld) return repeat_plan(now);
  // An evaluation can wait, unless what it waits for may never come.
  const bool may_change =
      open_.plan->training() || open_.died_since || settings_.archive != nullptr;
  if (!roll().enough_hold(other) || !may_change ||
      version_vector_id(other) == version_vector_id(*open_.plan))
    return {};
  observer_.on_note(fmt::format("round {}: {}", course_.round,
                                open_.plan->training()
                                    ? "plan revised with older models and other rows"
                                    : "the evaluation goes on with older models"));
  ++open_.record.abandoned;
  if (!open_.plan->training()) return restart_evaluation(now, std::move(other.versions));
  if (!course_.schedule.epoch_has_more())
    return next_after_epoch(now);  // no other rows in this epoch
  return issue(now, data::Part::kTrain, course_.schedule.take().rows, std::move(other.versions),
               policy_.frozen());
}

// Clients that came back after the plan was sent were told of it as of one that they missed, and
// do not answer it. Rows and versions stay, so that nothing new is opened.
Tasks Server::repeat_plan(double now) {
  observer_.on_note(
      fmt::format("round {}: plan sent anew, for those who came back", course_.round));
  ++open_.record.abandoned;
  return issue(now, open_.plan->part, open_.plan->rows, open_.plan->versions, open_.frozen);
}

// A client has caught up: with it there may be enough for the open plan.
Tasks Server::revise_for_returned(double now) {
  const int needed = agreement_.uploads_needed();
  if (!phase_.is(Phase::kWaiting) || !open_.is_open || roll().uploads_possible() >= needed)
    return {};
  return roll().enough_hold(*open_.plan) ? repeat_plan(now) : Tasks{};
}

}  // namespace fedvs::protocol
