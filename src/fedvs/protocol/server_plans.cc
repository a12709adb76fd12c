// What the server does next: training steps, evaluations between epochs, the plans of both.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {

Tasks Server::begin(double now) {
  phase_ = Phase::kWaiting;
  below_since_ = -1;
  for (int n = 0; n < agreement_.shape.parties; ++n) board_.seen(n, now);
  if (agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0) {  // a trained model predicts
    finished_epochs_ = agreement_.epochs;
    return start_evaluation(now, data::Part::kTest);
  }
  return next_training_step(now);
}

// Adds to what was asked for already in this step, by an evaluation before it.
void Server::ask_for_shares(double now, bool all_groups) {
  auto asked = policy_.ask_for_shares(round_, now, all_groups);
  ask_withholding(now, asked);
  record_.shared.resize(asked.size(), false);
  for (std::size_t n = 0; n < asked.size(); ++n) {
    if (asked[n]) shares_asked_[n] = record_.shared[n] = true;
  }
}

Tasks Server::next_training_step(double now) {
  step_started_ = now;
  hope(now);
  ask_for_shares(now, /*all_groups=*/false);
  share_noted_.assign(share_noted_.size(), false);
  deadline_span_ = soft_deadline();
  const bool collect_first = agreement_.late_models == LateModels::kDrop && policy_.groups_formed();
  if (!collect_first || policy_.all_fresh(round_)) {
    return issue_training_plan(now, VersionPolicy::Choice::kNormal);
  }
  phase_ = Phase::kCollecting;
  deadline_ = now + deadline_span_;
  Tasks tasks;
  tasks.push_back(broadcast(nullptr, /*free=*/false));
  return tasks;
}

Tasks Server::issue_training_plan(double now, VersionPolicy::Choice choice) {
  auto batch = schedule_.take();
  // Time spent on groups that are left out is not the round's: it would lengthen the next deadline.
  const double idle = now - step_started_ - policy_.slowest_fresh(round_);
  vain_wait_ = phase_ == Phase::kCollecting ? std::max(0.0, idle) : 0;
  return issue(now, data::Part::kTrain, std::move(batch.rows), policy_.name(round_, choice),
               policy_.frozen());
}

Tasks Server::next_after_epoch(double now) {
  ++finished_epochs_;
  note_epoch();
  rate_factor_ *= settings_.lr_decay;
  learner_.scale_rate(settings_.lr_decay);
  training_ended_ = now;
  const bool last = finished_epochs_ >= agreement_.epochs || stop_requested_;
  const bool due = last || finished_epochs_ % agreement_.evaluate_every == 0;
  if (!due) return train_on(now);
  const bool validate = agreement_.rows[static_cast<int>(data::Part::kValidation)] > 0;
  return start_evaluation(now, validate ? data::Part::kValidation : data::Part::kTest);
}

// Evaluation names the versions that the next training plan would; the last one waits for the fresh
// models of everybody who lives.
Tasks Server::start_evaluation(double now, data::Part part) {
  const bool last = finished_epochs_ >= agreement_.epochs || stop_requested_;
  ask_for_shares(now, /*all_groups=*/last);
  using Choice = VersionPolicy::Choice;
  const Choice usual =
      agreement_.late_models == LateModels::kDrop ? Choice::kOnlyHeld : Choice::kNormal;
  evaluation_ = Evaluation{.part = part,
                           .chunks = evaluation_chunks(agreement_, part),
                           .versions = policy_.name(round_, last ? Choice::kFresh : usual),
                           .frozen = policy_.frozen()};
  learner_.start(part);
  step_started_ = now;
  deadline_span_ = soft_deadline();
  if (evaluation_->chunks.empty()) return finish_evaluation(now);
  return next_chunk(now);
}

Tasks Server::next_chunk(double now) {
  hope(now);
  auto rows = evaluation_->chunks[evaluation_->next++];
  return issue(now, evaluation_->part, std::move(rows), evaluation_->versions, evaluation_->frozen);
}

Tasks Server::finish_evaluation(double now) {
  const data::Part part = evaluation_->part;
  const bool last = finished_epochs_ >= agreement_.epochs || stop_requested_;
  EvaluationRecord record{.epoch = finished_epochs_,
                          .round = round_,
                          .at = training_ended_,
                          .part = part,
                          .metrics = {},
                          .versions = evaluation_->versions,
                          .last = last};
  const bool has_rows = agreement_.rows[static_cast<int>(part)] > 0;
  if (arithmetic_ == Arithmetic::kReal && has_rows) {
    record.metrics = learner_.metrics(part);
    observer_.on_evaluation(record);
    if (part == data::Part::kValidation) note_validation(record.metrics.loss);
  }
  if (patience_ended_ != 0 && patience_ended_ == finished_epochs_) stop_requested_ = true;
  evaluation_.reset();
  if (part == data::Part::kValidation) return start_evaluation(now, data::Part::kTest);
  if (last) {
    phase_ = Phase::kDone;
    deadline_ = std::numeric_limits<double>::infinity();
    return {};
  }
  return train_on(now);
}

void Server::note_validation(double loss) {
  if (loss < best_validation_loss_) {
    best_validation_loss_ = loss;
    without_gain_ = 0;
    return;
  }
  if (settings_.patience > 0 && ++without_gain_ >= settings_.patience && !stop_requested_) {
    stop_requested_ = true;
    patience_ended_ = finished_epochs_;
    observer_.on_note(
        fmt::format("stopped early after epoch {}: {} evaluations without a better "
                    "validation loss",
                    finished_epochs_, settings_.patience));
  }
}

void Server::restore_patience(double best, int waited) {
  best_validation_loss_ = best;
  without_gain_ = waited;
}

Tasks Server::issue(double now, data::Part part, std::vector<std::size_t> rows,
                    std::vector<std::optional<Version>> versions, std::vector<bool> frozen) {
  auto plan = std::make_shared<Plan>();
  plan->round = round_;
  plan->revision = revision_++;
  plan->epoch = part == data::Part::kTrain ? schedule_.epoch() : finished_epochs_;
  plan->part = part;
  plan->rows = std::move(rows);
  plan->versions = std::move(versions);
  plan_ = std::move(plan);
  plan_frozen_ = std::move(frozen);
  return send_plan(now);
}

Tasks Server::send_plan(double now) {
  plan_open_ = true;
  box_.expect(plan_);
  died_since_plan_ = false;
  agreeing_.assign(agreeing_.size(), std::nullopt);
  said_heads_ = false;
  doubt_.reset();
  holders_since_ = -1;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    plan_sent_[client] = here_[client] && !behind_[client];
    able_at_[client] = may_upload(n) ? now : -1;
  }
  phase_ = Phase::kWaiting;
  deadline_ = now + deadline_span_;
  reports_requested_ = false;
  able_since_ = uploads_possible() >= agreement_.uploads_needed() ? now : -1;
  Tasks tasks;
  tasks.push_back(broadcast(plan_, /*free=*/!plan_->training() && !gradient_));
  return tasks;
}

std::vector<int> Server::caught_up(std::vector<int> clients) const {
  std::erase_if(clients, [&](int n) { return behind_[static_cast<std::size_t>(n)].has_value(); });
  return clients;
}

bool Server::may_upload(int client) const {
  return plan_sent_[static_cast<std::size_t>(client)] && board_.able(client, *plan_);
}

int Server::uploads_possible() const {
  int clients = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) clients += may_upload(n) ? 1 : 0;
  return clients;
}

// Sends  N messages: the gradient of K b x h floats of the round before, and the plan. Whoever is
// not here, or catches up, is told of both when it has said hello: only then is it known which
// plans it has seen.
Task Server::broadcast(std::shared_ptr<const Plan> plan, bool free) {
  // Clients change their rate with a gradient, so that it waits for one.
  const double rate_factor = gradient_ ? std::exchange(rate_factor_, 1.0) : 1.0;
  Step step{.gradient = std::exchange(gradient_, nullptr),
            .share = shares_asked_,
            .plan = plan,
            .groups = groups_,
            .frozen = plan ? plan_frozen_ : policy_.frozen(),
            .released = policy_.released(),
            .rate_factor = rate_factor};
  shares_asked_.assign(shares_asked_.size(), false);
  if (!archive(step) || !sign_plan(step)) return {.run = [] { return Effects{}; }};
  if (plan && arithmetic_ == Arithmetic::kReal) {
    box_.expect_tag(upload_tag(content_of(step, facts())));
  }
  const std::uint64_t index = step.head ? step.head->index : 0;
  const auto blocks = static_cast<std::size_t>(agreement_.shape.blocks);
  std::size_t bytes = 8 * static_cast<std::size_t>(agreement_.shape.parties);
  if (step.plan) bytes += 4 * step.plan->rows.size();
  if (step.gradient) {
    bytes += 4 * step.gradient->plan().rows.size() * blocks * agreement_.width;
  }
  const auto message = make_message(std::move(step));
  return {.run = [=, this] {
    Effects effects;
    const auto sent = draft_of(message);
    for (int n = 0; n < agreement_.shape.parties; ++n) {
      const auto client = static_cast<std::size_t>(n);
      if (!here_[client] || behind_[client] || board_.quarantined(n)) continue;
      if (const auto told = tell_all_before(n, index, effects); !told) {
        append(effects.tasks, leave_behind(n, told.error()));
        continue;
      }
      if (index > 0) told_head_[client] = index;
      if (plan && plan == plan_) plan_sent_[client] = true;
      effects.sends.push_back(
          {.to = n, .channel = Channel::kControl, .bytes = bytes, .draft = sent, .free = free});
    }
    return effects;
  }};
}

// Before the step is sent: a client that comes back later gets the very same gradient. False: it
// could not be written down, so it is not sent, and the run goes on later from what was.
bool Server::archive(const Step& step) {
  if (settings_.archive == nullptr) return true;
  if (step.gradient) {
    const auto kept = settings_.archive->append({step.gradient, step.rate_factor, link_});
    if (!kept) {
      unwritten_ = true;
      fail(kept.error().code, kept.error().message);
      return false;
    }
    link_ = next_link(link_, *step.gradient, step.rate_factor);
    ++sent_;
    forget_old_gradients();
  }
  save_due_ = true;
  return true;
}

}  // namespace fedvs::protocol
