// Fewer clients than a round needs, and a server that comes back: it sends the open plan anew.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

Tasks Server::below_threshold(double now) {
  const std::string lack =
      fmt::format("round {}: {} clients are left and R = {} are needed; no sign of clients{}",
                  course_.round, board_.alive(), agreement_.uploads_needed(), roll().missing());
  if (!wait_for_return(now, lack)) return {};
  waits_.hope(now);  // this wait has a limit of its own
  return request_reports();
}

bool Server::wait_for_return(double now, const std::string& lack) {
  const double longest = settings_.wait_for_return;
  if (!waits_.below.runs() && longest > 0) {
    observer_.on_note(fmt::format("{}; waiting {} s for them", lack, longest));
  }
  waits_.below.start_if_stopped(now);
  waits_.deadline = std::min(now + agreement_.dead_after, waits_.below.since() + longest);
  if (waits_.below.elapsed(now) < longest) return true;
  fail(ErrorCode::kTooFewShares, lack);
  return false;
}

Tasks Server::gather_again(double now, const Hello& hello) {
  Tasks tasks;
  if (claims_too_much(hello)) {
    tasks = note_claim(hello);
  } else if (const auto checked = check_return(hello); !checked) {
    tasks = send_away(hello.from, checked.error().message);
  } else {
    meet(hello);
    members_[hello.from].presence.come_behind(hello.step);
  }
  if (!phase_.status()) return tasks;
  if (!roll().all_are_heard()) {
    if (roll().here() >= agreement_.uploads_needed()) hurry(now);
    return tasks;
  }
  append(tasks, judge_claims());
  if (phase_.status() && roll().all_are_heard()) append(tasks, go_on(now));
  return tasks;
}

// Enough are back: the others get a moment to come, each a second after the one before it, and may
// come later. But in warm-up a death fixes the groups for ever: then all are waited for.
void Server::hurry(double now) {
  const double moment = std::min(1.0, agreement_.dead_after);  // seconds
  if (!policy_.groups_formed()) return;
  waits_.enough.start_if_stopped(now);
  waits_.deadline = std::min(now + moment, waits_.enough.since() + 3 * moment);
}

// A server writes down what it sends before it sends it: whoever has applied more gradients tells
// the truth only if the server's folder is old, and then more than T say so. (Whoever has seen more
// plans can prove it by their signature: check_head.)
bool Server::claims_too_much(const Hello& hello) const {
  return settings_.archive != nullptr && hello.step > steps_sent();
}

Tasks Server::note_claim(const Hello& hello) {
  members_[hello.from].claim = hello;
  int ahead = 0;
  std::string names;
  for (const Member& member : members_) {
    const auto& claim = member.claim;
    if (!claim) continue;
    ++ahead;
    names += fmt::format("{}{} ({} gradients)", ahead > 1 ? ", " : "", agreement_.name(claim->from),
                         claim->step);
  }
  if (ahead <= agreement_.shape.colluding) return {};
  return fail(ErrorCode::kRefused,
              fmt::format("{} have applied more than the {} gradients that this server has sent: "
                          "the server's folder is older than the run; restore the newest",
                          names, steps_sent()));
}

// No more than T claim that: they are sent away.
Tasks Server::judge_claims() {
  Tasks tasks;
  for (Member& member : members_) {
    if (!member.claim) continue;
    const Hello hello = *std::exchange(member.claim, std::nullopt);
    append(tasks, send_away(hello.from, check_return(hello).error().message));
  }
  return tasks;
}

Tasks Server::returning_deadline_passed(double now) {
  Tasks tasks = judge_claims();
  if (!phase_.status()) return tasks;
  const int here = roll().here();
  if (here >= agreement_.uploads_needed()) {
    append(tasks, go_on(now));
    return tasks;
  }
  const bool waits = wait_for_return(
      now, fmt::format("round {}: {} clients are back and R = {} are needed; no sign of clients{}",
                       course_.round, here, agreement_.uploads_needed(), roll().missing()));
  return waits ? tasks : Tasks{};
}

// Those who are not there count as dead until they come; the plan that was open is sent anew.
Tasks Server::go_on(double now) {
  waits_.below.stop();
  waits_.enough.stop();
  phase_.enter(Phase::kWaiting);
  policy_.meet(welcome());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    board_.seen(n, now);
    if (!members_[n].presence.here() && !board_.quarantined(n))
      declare_dead(n, "it has not come back");
  }
  Tasks tasks;
  const auto message = make_message(welcome());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!members_[n].presence.here()) continue;
    tasks.push_back(send_now(outgoing(n, Lane::kControl, welcome_bytes(), message)));
    append(tasks, catch_up(now, n));
  }
  append(tasks, ask_to_share(policy_.all_returned(course_.round, now)));
  open_.started = now;
  waits_.hope(now);
  waits_.span = std::max(waits_.soft_deadline(), 1.0);
  append(tasks, go_on_with_plan(now));
  return tasks;
}

Tasks Server::go_on_with_plan(double now) {
  if (open_.is_open)
    return issue(now, open_.plan->part, open_.plan->rows, open_.plan->versions, open_.frozen);
  if (course_.evaluation) {
    return course_.evaluation->has_more() ? next_chunk(now) : finish_evaluation(now);
  }
  // An epoch that was followed by standing by has been counted.
  if (std::exchange(course_.idleness.stood_by, false)) return train_on(now);
  return course_.schedule.epoch_has_more() ? next_training_step(now) : next_after_epoch(now);
}

// The gradient of the round is still broadcast: clients leave with it applied.
Tasks Server::stop() {
  Tasks tasks;
  tasks.push_back(broadcast(nullptr, /*evaluation=*/false));
  fail(ErrorCode::kStopped, fmt::format("stopped after round {}", course_.round));
  return tasks;
}

}  // namespace fedvs::protocol
