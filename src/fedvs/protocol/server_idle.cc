// Rounds from which nobody learns: every group has a member that is away, so all name old models.
// The central model still learns, but an epoch of such rounds is no training. So an epoch that
// would begin with them, or has begun with one, waits for somebody to come back, as a run below R
// does, unless the job says that it counts.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {

std::string Server::why_nobody_learns() const {
  if (!training_started() || policy_.moves(round_)) return {};
  std::string names;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.stuck(n) && !policy_.released()[static_cast<std::size_t>(n)])
      names += agreement_.listed(n);
  }
  const bool one = policy_.groups().size() == 1;
  return fmt::format("no client learns: {} without clients{}",
                     one ? "the only group stands still" : "every group stands still", names);
}

// Of a round that is opened: by what its plan names.
void Server::note_learning() {
  const bool idle = policy_.groups_formed() && std::ranges::count(plan_frozen_, false) == 0;
  record_.idle = idle;
  if (!idle) {
    learned_in_epoch_ = true;
    said_nobody_learns_ = false;
    return;
  }
  ++idle_rounds_;
  if (!std::exchange(said_nobody_learns_, true)) {
    observer_.on_warning(fmt::format("round {}: {}", round_, why_nobody_learns()));
  }
}

void Server::note_epoch() {
  if (std::exchange(learned_in_epoch_, false)) return;
  ++idle_epochs_;
  observer_.on_warning(
      fmt::format("epoch {}: no client has learned in it; it is no training", finished_epochs_));
}

// A release is for good, and so is a death where nobody comes back.
bool Server::may_go_on() const { return agreement_.count_idle_epochs || policy_.moves(round_); }

// The next round, of this epoch or of the next one.
Tasks Server::train_on(double now) {
  if (!learned_in_epoch_ && !may_go_on()) return stand_by(now);
  idle_since_ = -1;
  below_since_ = -1;
  if (!schedule_.epoch_has_more()) schedule_.start_next_epoch();
  return next_training_step(now);
}

// Asks who is there at intervals, for as long as a run waits below R.
Tasks Server::stand_by(double now) {
  const bool first = phase_ != Phase::kStandingBy;
  phase_ = Phase::kStandingBy;
  if (!first) {
    note_silent();
    declare_deaths(now);
    if (!status_) return {};
    if (may_go_on()) return train_on(now);
  }
  const bool within = schedule_.epoch_has_more();
  const std::string why = fmt::format("{} epoch {}: {}", within ? "in" : "after",
                                      finished_epochs_ + (within ? 1 : 0), why_nobody_learns());
  if (idle_since_ < 0) {
    idle_since_ = now;
    if (settings_.wait_for_return > 0) {
      observer_.on_warning(fmt::format("{}; waiting {} s for them before the next {}", why,
                                       settings_.wait_for_return, within ? "round" : "epoch"));
    }
  }
  if (now - idle_since_ >= settings_.wait_for_return) {
    return fail(ErrorCode::kTooFewShares,
                why +
                    "; start them again and then the server, or set train.idle_epochs = "
                    "\"count\" to go on all the same");
  }
  hope(now);
  deadline_ = std::min(now + std::min(agreement_.dead_after, soft_deadline()),
                       idle_since_ + settings_.wait_for_return);
  Tasks tasks = request_reports();
  if (gradient_) tasks.insert(tasks.begin(), broadcast(nullptr, /*free=*/false));
  std::vector<bool> share(hellos_.size(), false);
  ask_withholding(now, share);
  append(tasks, ask_to_share(share));
  return tasks;
}

}  // namespace fedvs::protocol
