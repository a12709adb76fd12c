// Rounds from which nobody learns: every group has a member that is away, so all name old models.
// The central model still learns, but an epoch of such rounds is no training. So an epoch that
// would begin with them, or has begun with one, waits for somebody to come back, as a run below R
// does, unless the job says that it counts.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

std::string Server::why_nobody_learns() const {
  if (!training_started() || policy_.moves(course_.round)) return {};
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
  const bool idle = policy_.groups_formed() && std::ranges::count(open_.frozen, false) == 0;
  open_.record.idle = idle;
  if (!idle) {
    course_.idleness.learned_in_epoch = true;
    course_.idleness.said = false;
    return;
  }
  ++course_.idleness.rounds;
  if (!std::exchange(course_.idleness.said, true)) {
    observer_.on_warning(fmt::format("round {}: {}", course_.round, why_nobody_learns()));
  }
}

void Server::note_epoch() {
  if (std::exchange(course_.idleness.learned_in_epoch, false)) return;
  ++course_.idleness.epochs;
  observer_.on_warning(fmt::format("epoch {}: no client has learned in it; it is no training",
                                   course_.finished_epochs));
}

// A release is for good, and so is a death where nobody comes back.
bool Server::may_go_on() const {
  return agreement_.count_idle_epochs || policy_.moves(course_.round);
}

// The next round, of this epoch or of the next one.
Tasks Server::train_on(double now) {
  if (!course_.idleness.learned_in_epoch && !may_go_on()) return stand_by(now);
  course_.idleness.since.stop();
  waits_.below.stop();
  if (!course_.schedule.epoch_has_more()) course_.schedule.start_next_epoch();
  return next_training_step(now);
}

// Asks who is there at intervals, for as long as a run waits below R.
Tasks Server::stand_by(double now) {
  const bool first = !phase_.is(Phase::kStandingBy);
  phase_.enter(Phase::kStandingBy);
  if (!first) {
    note_silent();
    declare_deaths(now);
    if (!phase_.status()) return {};
    if (may_go_on()) return train_on(now);
  }
  const bool within = course_.schedule.epoch_has_more();
  const std::string why =
      fmt::format("{} epoch {}: {}", within ? "in" : "after",
                  course_.finished_epochs + (within ? 1 : 0), why_nobody_learns());
  if (!course_.idleness.since.runs()) {
    course_.idleness.since.start(now);
    if (settings_.wait_for_return > 0) {
      observer_.on_warning(fmt::format("{}; waiting {} s for them before the next {}", why,
                                       settings_.wait_for_return, within ? "round" : "epoch"));
    }
  }
  if (course_.idleness.since.elapsed(now) >= settings_.wait_for_return) {
    return fail(ErrorCode::kTooFewShares,
                why +
                    "; start them again and then the server, or set train.idle_epochs = "
                    "\"count\" to go on all the same");
  }
  waits_.hope(now);
  waits_.deadline = std::min(now + std::min(agreement_.dead_after, waits_.soft_deadline()),
                             course_.idleness.since.since() + settings_.wait_for_return);
  Tasks tasks = request_reports();
  if (post_.gradient) tasks.insert(tasks.begin(), broadcast(nullptr, /*evaluation=*/false));
  std::vector<bool> share = nobody();
  ask_withholding(now, share);
  append(tasks, ask_to_share(share));
  return tasks;
}

}  // namespace fedvs::protocol
