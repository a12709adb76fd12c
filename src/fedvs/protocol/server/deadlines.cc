// What the server does when a round takes too long: ask who holds what, revise the plan. No wait is
// unbounded.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

Tasks Server::tick(double now) {
  waits_.now = now;
  if (!phase_.status()) return {};
  Tasks tasks = take_kept(now);
  if (phase_.is(Phase::kDone) || !phase_.status() || now < waits_.deadline) return tasks;
  append(tasks, soft_deadline_passed(now));
  return tasks;
}

// Hellos and reports that came too soon.
Tasks Server::take_kept(double now) {
  Tasks tasks;
  for (Turnstile* kept : {&gates_.returns, &gates_.reports}) {
    while (const auto message = kept->due(now)) {
      if (!phase_.status()) return tasks;
      append(tasks, take(now, message));
    }
  }
  return tasks;
}

double Server::next_deadline() const {
  if (!phase_.status()) return waits_.deadline;
  return std::min({waits_.deadline, gates_.returns.next(), gates_.reports.next()});
}

Tasks Server::soft_deadline_passed(double now) {
  if (phase_.is(Phase::kReturning)) return returning_deadline_passed(now);
  if (!training_started()) return setup_deadline_passed(now);
  if (phase_.is(Phase::kStandingBy)) return stand_by(now);
  if (auto settled = doubt_deadline_passed(now)) return std::move(*settled);
  if (phase_.is(Phase::kCollecting) && policy_.any_fresh(course_.round)) {
    declare_deaths(now);
    if (!phase_.status()) return {};
    Tasks tasks = request_reports();  // so that a group is not dropped for ever for a dead member
    append(tasks, issue_training_plan(now, VersionPolicy::Choice::kNormal));
    return tasks;  // without the late groups
  }
  note_silent();
  Tasks tasks = share_anew(now);
  auto revised = revise_or_bury(now);
  append(tasks, revised ? std::move(*revised) : wait_longer(now));
  return tasks;
}

// What clients that came and went have left nobody with.
Tasks Server::share_anew(double now) {
  if (settings_.archive == nullptr) return {};
  Tasks tasks = ask_to_share(policy_.recover(course_.round, now));
  if (phase_.is(Phase::kCollecting)) {  // what was asked for came after its round
    const auto asked = policy_.ask_for_shares(course_.round, now);
    for (std::size_t n = 0; n < asked.size(); ++n)
      open_.record.shared[n] = open_.record.shared[n] || asked[n];
    append(tasks, ask_to_share(asked));
  }
  return tasks;
}

// Twice where deaths are declared: a frozen group's old models may then be named. None: no revision
// would help.
std::optional<Tasks> Server::revise_or_bury(double now) {
  for (bool again = waits_.reports_requested; again || declare_deaths(now); again = false) {
    if (!phase_.status()) return Tasks{};
    if (!phase_.is(Phase::kWaiting)) continue;
    Tasks tasks = revise(now);
    if (!tasks.empty() || !phase_.is(Phase::kWaiting) || !phase_.status()) return tasks;
  }
  return std::nullopt;
}

Tasks Server::wait_longer(double now) {
  if (board_.alive() < agreement_.uploads_needed()) return below_threshold(now);
  waits_.below.stop();
  if (waited_too_long(now)) return {};
  waits_.span = std::min(2 * waits_.span, waits_.longest_span());
  waits_.deadline = std::min(now + waits_.span, next_death(now));
  return request_reports();
}

// Those who are there may be too few to answer though they are R: one that came back with an old
// folder lacks what a dead one shared. Then it takes somebody's return.
bool Server::waited_too_long(double now) {
  const double waited = now - waits_.hopeful_since;
  const std::string names = roll().missing(), heads = roll().heads_missing();
  if (!names.empty() && waited > 2 * agreement_.dead_after && !waits_.said_stuck) {
    waits_.said_stuck = true;
    observer_.on_note(fmt::format(
        "round {}: {} of {} uploads after {:.0f} s; waiting for clients{}{}", course_.round,
        open_.box.count(), agreement_.uploads_needed(), waited, names, heads));
  }
  const double patience =
      Waits::kLongest * agreement_.dead_after + (names.empty() ? 0 : settings_.wait_for_return);
  if (waited <= patience) return false;
  std::string silent;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!open_.box.has_upload_of(n)) silent += agreement_.listed(n);
  }
  fail(ErrorCode::kTooFewShares,
       fmt::format(
           "round {}: {} of {} uploads after {:.0f} s{}{}", course_.round, open_.box.count(),
           agreement_.uploads_needed(), waited,
           names.empty() ? "; no upload of clients" + silent : "; missing are clients" + names,
           heads));
  return true;
}

}  // namespace fedvs::protocol
