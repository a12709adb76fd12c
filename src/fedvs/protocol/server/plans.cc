// What the server does next: training steps, evaluations between epochs, the plans of both.
#include <algorithm>
#include <limits>

#include "fedvs/protocol/costs.h"
#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

Tasks Server::begin(double now) {
  phase_.enter(Phase::kWaiting);
  waits_.below.stop();
  for (int n = 0; n < agreement_.shape.parties; ++n) board_.seen(n, now);
  if (agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0) {  // a trained model predicts
    course_.finished_epochs = agreement_.epochs;
    return start_evaluation(now, data::Part::kTest);
  }
  return next_training_step(now);
}

// Adds to what was asked for already in this step, by an evaluation before it.
void Server::ask_for_shares(double now, bool all_groups) {
  auto asked = policy_.ask_for_shares(course_.round, now, all_groups);
  ask_withholding(now, asked);
  open_.record.shared.resize(asked.size(), false);
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (asked[client]) members_[n].model_shares.asked = open_.record.shared[client] = true;
  }
}

Tasks Server::next_training_step(double now) {
  open_.started = now;
  waits_.hope(now);
  ask_for_shares(now, /*all_groups=*/false);
  for (Member& member : members_) member.model_shares.noted = false;
  waits_.span = waits_.soft_deadline();
  const bool collect_first = agreement_.late_models == LateModels::kDrop && policy_.groups_formed();
  if (!collect_first || policy_.all_fresh(course_.round)) {
    return issue_training_plan(now, VersionPolicy::Choice::kNormal);
  }
  phase_.enter(Phase::kCollecting);
  waits_.deadline = now + waits_.span;
  Tasks tasks;
  tasks.push_back(broadcast(nullptr, /*evaluation=*/false));
  return tasks;
}

Tasks Server::issue_training_plan(double now, VersionPolicy::Choice choice) {
  auto batch = course_.schedule.take();
  // Time spent on groups that are left out is not the round's: it would lengthen the next deadline.
  const double idle = now - open_.started - policy_.slowest_fresh(course_.round);
  open_.vain_wait = phase_.is(Phase::kCollecting) ? std::max(0.0, idle) : 0;
  return issue(now, data::Part::kTrain, std::move(batch.rows), policy_.name(course_.round, choice),
               policy_.frozen());
}

Tasks Server::next_after_epoch(double now) {
  ++course_.finished_epochs;
  note_epoch();
  post_.rate_factor *= settings_.lr_decay;
  learner_.scale_rate(settings_.lr_decay);
  course_.training_ended = now;
  const bool last = course_.finished_epochs >= agreement_.epochs || course_.stop_after_epoch;
  const bool due = last || course_.finished_epochs % agreement_.evaluate_every == 0;
  if (!due) return train_on(now);
  const bool validate = agreement_.rows[static_cast<int>(data::Part::kValidation)] > 0;
  return start_evaluation(now, validate ? data::Part::kValidation : data::Part::kTest);
}

Tasks Server::issue(double now, data::Part part, std::vector<std::size_t> rows,
                    std::vector<std::optional<Version>> versions, std::vector<bool> frozen) {
  auto plan = std::make_shared<Plan>();
  plan->round = course_.round;
  plan->revision = course_.revision++;
  plan->epoch = part == data::Part::kTrain ? course_.schedule.epoch() : course_.finished_epochs;
  plan->part = part;
  plan->rows = std::move(rows);
  plan->versions = std::move(versions);
  open_.plan = std::move(plan);
  open_.frozen = std::move(frozen);
  return send_plan(now);
}

Tasks Server::send_plan(double now) {
  open_.is_open = true;
  open_.box.expect(open_.plan);
  open_.died_since = false;
  open_.said_heads = false;
  open_.doubt.reset();
  open_.holders.stop();
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    members_[n].plan = {.sent = members_[n].presence.caught_up(), .able = {}, .agreeing = {}};
    if (roll().may_upload(n)) members_[n].plan.able.start(now);
  }
  phase_.enter(Phase::kWaiting);
  waits_.deadline = now + waits_.span;
  waits_.reports_requested = false;
  open_.able.stop();
  if (roll().uploads_possible() >= agreement_.uploads_needed()) open_.able.start(now);
  Tasks tasks;
  tasks.push_back(broadcast(open_.plan, /*evaluation=*/!open_.plan->training() && !post_.gradient));
  return tasks;
}

// Step 5 of 5, learn, at the server: what it learned goes out with the next plan.
//   server -> every client:  the gradient of the average embedding, K b x h floats, and the plan
// Sends    N messages of step_bytes.             Costs  3 K b passes of the central model.
// Reveals  the gradient to all clients: what their labels' owner tells by training at all.
// Whoever is not here, or catches up, is told of both when it has said hello: only then is it known
// which plans it has seen.                       CostsTest.Rounds
Task Server::broadcast(std::shared_ptr<const Plan> plan, bool evaluation) {
  // Clients change their rate with a gradient, so that it waits for one.
  const double rate_factor = post_.gradient ? std::exchange(post_.rate_factor, 1.0) : 1.0;
  Step step{.gradient = std::exchange(post_.gradient, nullptr),
            .share = members_.each(asked_to_share),
            .plan = plan,
            .groups = post_.groups,
            .frozen = plan ? open_.frozen : policy_.frozen(),
            .released = policy_.released(),
            .rate_factor = rate_factor};
  for (Member& member : members_) member.model_shares.asked = false;
  if (!write_down(step)) return {.run = [] { return Effects{}; }};
  if (plan) open_.box.expect_tag(upload_tag(content_of(step, facts())));
  const std::uint64_t index = step.head ? step.head->index : 0;
  const std::size_t bytes =
      step_bytes(agreement_, step.gradient ? step.gradient->plan().rows.size() : 0,
                 step.plan ? step.plan->rows.size() : 0);
  const auto message = make_message(std::move(step));
  return {.run = [=, this] {
    Effects effects;
    const auto sent = draft_of(message);
    for (int n = 0; n < agreement_.shape.parties; ++n) {
      Member& member = members_[n];
      if (!member.presence.caught_up() || board_.quarantined(n)) continue;
      if (const auto told = chain().tell_all_before(n, index, effects); !told) {
        append(effects.tasks, leave_behind(n, told.error()));
        continue;
      }
      if (index > 0) member.told_plans = index;
      if (plan && plan == open_.plan) member.plan.sent = true;
      effects.sends.push_back({.to = n,
                               .lane = Lane::kControl,
                               .bytes = bytes,
                               .draft = sent,
                               .evaluation = evaluation});
    }
    return effects;
  }};
}

// Before the step is sent. False: it could not be written down, so it is not sent, and the run goes
// on later from what was.
bool Server::write_down(Step& step) {
  Status written = archive(step);
  if (written) written = chain().sign(step, facts());
  if (written) return true;
  post_.unwritten = true;
  fail(written.error().code, written.error().message);
  return false;
}

}  // namespace fedvs::protocol
