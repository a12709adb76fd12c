// Who comes, comes back, or does not. A client that comes back lives under a new incarnation: its
// masks and those it dealt are void, the models that it shared are not. It gets the gradients that
// it missed and takes part from the next plan on. A server that comes back names the open plan
// again, with other masks.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {
namespace {

constexpr int kGradientsAhead = 32;  // sent to a client that is behind before it reports again

}  // namespace

Tasks Server::on(double now, const Hello& hello) {
  board_.seen(hello.from, now);
  const auto n = static_cast<std::size_t>(hello.from);
  if (here_[n] && hellos_[n] == hello.incarnation) {  // whoever comes back does so as another
    observer_.on_note(fmt::format("{} said hello twice", agreement_.name(hello.from)));
    return {};
  }
  switch (phase_) {
    case Phase::kGathering:
      return gather(hello);
    case Phase::kPreparing:
      return regather(hello);
    case Phase::kReturning:
      return gather_again(now, hello);
    default:
      return welcome_back(now, hello);
  }
}

Welcome Server::welcome() const {
  Welcome welcome{.server = incarnation_,
                  .clients = {},
                  .round = round_,
                  .training = training_started(),
                  .uploaded_below = uploaded_below_};
  for (const auto& incarnation : hellos_) {
    welcome.clients.push_back(incarnation.value_or(Incarnation{}));
  }
  return welcome;
}

void Server::meet(const Hello& hello) {
  const auto n = static_cast<std::size_t>(hello.from);
  hellos_[n] = hello.incarnation;
  here_[n] = true;
  board_.meet(hello.from, hello.incarnation);
}

Tasks Server::to_all(MessagePtr message, std::size_t bytes) const {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(outgoing(n, Channel::kControl, bytes, message)));
  }
  return tasks;
}

// ---- before training: nothing is kept but the rows that were shared

Tasks Server::gather(const Hello& hello) {
  meet(hello);
  if (std::ranges::count(here_, true) < agreement_.shape.parties) return {};
  policy_.meet(welcome());
  masks_.meet(welcome());
  phase_ = Phase::kPreparing;
  return to_all(make_message(welcome()), 16 * (1 + here_.size()));
}

// The models and masks shared so far did not reach it: everybody starts over.
Tasks Server::regather(const Hello& hello) {
  observer_.on_note(fmt::format("{} came back before training; everybody says hello again",
                                agreement_.name(hello.from)));
  phase_ = Phase::kGathering;
  here_.assign(here_.size(), false);
  meet(hello);
  Tasks tasks = to_all(make_message(Regather{}), 8);
  tasks.erase(tasks.begin() + hello.from);
  return tasks;
}

// ---- a client comes back

Status Server::check_return(const Hello& hello) const {
  const auto refused = [&](std::string reason) {
    return Error{ErrorCode::kRefused, std::move(reason)};
  };
  if (settings_.archive == nullptr) return refused("nobody can come back to this run");
  if (hello.step > steps_sent()) {
    return refused(
        fmt::format("{} has applied {} gradients, this server has sent {}: the "
                    "server's folder is older than the run; restore the newest",
                    agreement_.name(hello.from), hello.step, steps_sent()));
  }
  if (hello.step < first_link_) {
    return refused(
        fmt::format("{} is at step {}, gradients before step {} are not kept any "
                    "more: restore a newer folder of it",
                    agreement_.name(hello.from), hello.step, first_link_));
  }
  if (hello.chain != chain_[hello.step - first_link_]) {
    return refused(
        fmt::format("{}'s first {} gradients are not those of this run: a forked "
                    "chain; restore its folder of this run",
                    agreement_.name(hello.from), hello.step));
  }
  return {};
}

Tasks Server::farewell(int client, Ending ending, std::string reason) {
  observer_.on_note(reason);
  const std::size_t bytes = reason.size();
  Tasks tasks;
  tasks.push_back(send_now(outgoing(client, Channel::kControl, bytes,
                                    make_message(Farewell{ending, std::move(reason)}))));
  return tasks;
}

Tasks Server::welcome_back(double now, const Hello& hello) {
  const auto n = static_cast<std::size_t>(hello.from);
  if (const auto checked = check_return(hello); !checked) {
    return farewell(hello.from, Ending::kRefused, checked.error().message);
  }
  observer_.on_note(fmt::format("{} is back in round {}, {} gradients behind",
                                agreement_.name(hello.from), round_, round_ - hello.step));
  meet(hello);
  policy_.meet(welcome());
  masks_.meet(welcome());
  board_.declare_alive(hello.from);
  hope(now);
  behind_[n] = Behind{.next = hello.step};
  Tasks tasks = to_all(make_message(welcome()), 16 * (1 + here_.size()));
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

// A few gradients at a time, so that they never fill a queue; then its group shares anew.
Tasks Server::catch_up(double now, int client) {
  auto& behind = behind_[static_cast<std::size_t>(client)];
  Tasks tasks;
  const StepNumber sent = steps_sent();
  for (int i = 0; i < kGradientsAhead && behind->next < sent; ++i) {
    const auto missed = settings_.archive->read(behind->next++);
    if (!missed) return fail(missed.error().code, missed.error().message);
    const std::vector<bool> none(hellos_.size(), false);
    tasks.push_back(
        send_now(outgoing(client, Channel::kControl, missed->gradient->values().size() * 4,
                          make_message(Step{.gradient = missed->gradient,
                                            .share = none,
                                            .plan = {},
                                            .groups = {},
                                            .frozen = none,
                                            .released = none,
                                            .rate_factor = missed->rate_factor}))));
  }
  if (behind->next < sent) {
    tasks.push_back(
        send_now(outgoing(client, Channel::kControl, 8, make_message(ReportRequest{}))));
    return tasks;
  }
  behind.reset();
  append(tasks, ask_to_share(policy_.returned(client, round_, now)));
  return tasks;
}

// Without a plan: of the step that the clients are at.
Tasks Server::ask_to_share(const std::vector<bool>& share) {
  Step step{.gradient = {},
            .share = share,
            .plan = {},
            .groups = groups_,
            .frozen = policy_.frozen(),
            .released = policy_.released()};
  const auto message = make_message(std::move(step));
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (!share[client] || behind_[client]) continue;
    tasks.push_back(send_now(outgoing(n, Channel::kControl, 8 * share.size(), message)));
  }
  return tasks;
}

// It was slow, or stopped for a while, and has lost nothing.
Tasks Server::declare_alive(double now, int client) {
  if (!board_.dead(client) || !here_[static_cast<std::size_t>(client)]) return {};
  observer_.on_note(fmt::format("{} answers again in round {}", agreement_.name(client), round_));
  board_.declare_alive(client);
  hope(now);
  return ask_to_share(policy_.returned(client, round_, now));
}

void Server::note_saved(int client, StepNumber step) {
  auto& saved = saved_[static_cast<std::size_t>(client)];
  if (settings_.archive == nullptr || step <= saved) return;
  saved = std::min(step, steps_sent());
  const StepNumber oldest = *std::ranges::min_element(saved_);
  settings_.archive->forget_before(oldest);
  for (; first_link_ < oldest; ++first_link_) chain_.pop_front();
}

// ---- too few

std::string Server::names_of_missing() const {
  std::string names;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.dead(n) || !here_[static_cast<std::size_t>(n)]) names += agreement_.listed(n);
  }
  return names;
}

Tasks Server::below_threshold(double now) {
  const std::string lack =
      fmt::format("round {}: {} clients are left and R = {} are needed; no sign of clients{}",
                  round_, board_.alive(), agreement_.uploads_needed(), names_of_missing());
  if (below_since_ < 0) {
    below_since_ = now;
    if (settings_.wait_for_return > 0) {
      observer_.on_note(fmt::format("{}; waiting {} s for them", lack, settings_.wait_for_return));
    }
  }
  if (now - below_since_ >= settings_.wait_for_return) {
    return fail(ErrorCode::kTooFewShares, lack);
  }
  hope(now);  // this wait has a limit of its own
  deadline_ = std::min(now + agreement_.dead_after, below_since_ + settings_.wait_for_return);
  return request_reports();
}

// ---- the server comes back

Tasks Server::gather_again(double now, const Hello& hello) {
  if (const auto checked = check_return(hello); !checked) {
    if (hello.step > steps_sent()) return fail(ErrorCode::kRefused, checked.error().message);
    return farewell(hello.from, Ending::kRefused, checked.error().message);
  }
  meet(hello);
  behind_[static_cast<std::size_t>(hello.from)] = Behind{.next = hello.step};
  revision_ = std::max(revision_, hello.next_revision);
  return std::ranges::count(here_, true) == agreement_.shape.parties ? go_on(now) : Tasks{};
}

Tasks Server::returning_deadline_passed(double now) {
  const auto here = static_cast<int>(std::ranges::count(here_, true));
  if (here >= agreement_.uploads_needed()) return go_on(now);
  if (below_since_ < 0) {
    below_since_ = now;
    observer_.on_note(fmt::format(
        "round {}: {} clients are back and R = {} are needed; clients{} are missing; waiting {} s",
        round_, here, agreement_.uploads_needed(), names_of_missing(), settings_.wait_for_return));
  }
  if (now - below_since_ >= settings_.wait_for_return) {
    return fail(ErrorCode::kTooFewShares,
                fmt::format("round {}: {} clients came back and R = {} are needed; no sign of "
                            "clients{}",
                            round_, here, agreement_.uploads_needed(), names_of_missing()));
  }
  deadline_ = std::min(now + agreement_.dead_after, below_since_ + settings_.wait_for_return);
  return {};
}

// Those who are not there count as dead until they come; the plan that was open is named again,
// with the masks of today.
Tasks Server::go_on(double now) {
  below_since_ = -1;
  phase_ = Phase::kWaiting;
  policy_.meet(welcome());
  masks_.meet(welcome());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    board_.seen(n, now);
    if (!here_[static_cast<std::size_t>(n)]) declare_dead(n, "it has not come back");
  }
  Tasks tasks;
  const auto message = make_message(welcome());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!here_[static_cast<std::size_t>(n)]) continue;
    tasks.push_back(send_now(outgoing(n, Channel::kControl, 16 * (1 + here_.size()), message)));
    append(tasks, catch_up(now, n));
  }
  append(tasks, ask_to_share(policy_.all_returned(round_, now)));
  step_started_ = now;
  hope(now);
  deadline_span_ = std::max(soft_deadline(), 1.0);
  append(tasks, go_on_with_plan(now));
  return tasks;
}

Tasks Server::go_on_with_plan(double now) {
  if (plan_open_) return issue(now, plan_->part, plan_->rows, plan_->versions, plan_frozen_);
  if (evaluation_) {
    const bool more = evaluation_->next < evaluation_->chunks.size();
    return more ? next_chunk(now) : finish_evaluation(now);
  }
  return schedule_.epoch_has_more() ? next_training_step(now) : next_after_epoch(now);
}

// The gradient of the round is still broadcast: clients leave with it applied.
Tasks Server::stop() {
  Tasks tasks;
  tasks.push_back(broadcast(nullptr, /*free=*/false));
  fail(ErrorCode::kStopped, fmt::format("stopped after round {}", round_));
  return tasks;
}

}  // namespace fedvs::protocol
