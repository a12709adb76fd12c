// Who does not answer: lost with its connection, silent when asked, dead after that for long.
// Departs: the design waits dead_after for every silence. Ten rounds may take a tenth of a second,
// and a broken connection is no silence: groups that can move again later do not wait for it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "fedvs/protocol/server/attendance.h"

namespace fedvs::protocol {
namespace {

constexpr double kJustOver = 1.001;

}  // namespace

void Attendance::lost(double now, int client) {
  if (settings_.archive == nullptr) return;
  board_.lose(client);
  gates_.returns.forget(client);  // said over the connection that is gone
  gates_.reports.forget(client);
  hasten(now);
}

// Who did not report by the deadline may be slow or stopped: the next revision does not count on
// it.
void Attendance::note_silent() {
  if (settings_.archive == nullptr || !waits_.reports_requested) return;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!members_[n].reported) board_.fall_silent(n);
  }
}

// Silent for long, and also when asked: a client that waits for others has nothing to say.
std::vector<int> Attendance::missing_clients() const {
  std::vector<int> missing;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const double seen = board_.last_seen(n);
    const bool silent = seen < waits_.asked_at && waits_.now - seen > agreement_.dead_after;
    // During warm-up a death fixes the groups for the whole run: no blip may do that.
    const bool lost =
        board_.lost(n) && agreement_.on_dead == OnDead::kFreezeGroup && policy_.groups_formed();
    if (silent || lost) missing.push_back(n);
  }
  return missing;
}

bool Attendance::declare_deaths(double now) {
  bool any = false;
  waits_.now = now;
  for (int n : missing_clients()) {
    if (board_.dead(n) || board_.quarantined(n)) continue;
    any = true;
    declare_dead(n, board_.lost(n)
                        ? "its connection is gone"
                        : fmt::format("no sign for {:.0f} s", now - board_.last_seen(n)));
  }
  return strike_off(now) || any;
}

void Attendance::declare_dead(int n, const std::string& why) {
  board_.declare_dead(n);
  open_.died_since = true;
  members_[n].model_shares.lateness = kNever;
  observer_.on_note(
      fmt::format("{} declared dead in round {}: {}", agreement_.name(n), course_.round, why));
  leave_group(n);
}

// When the first of those who have said nothing may be declared dead; not before the next reports.
double Attendance::next_death(double now) const {
  double next = kNever;
  if (settings_.archive == nullptr) return next;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.dead(n) || board_.last_seen(n) >= waits_.asked_at) continue;
    next = std::min(next, board_.last_seen(n) + kJustOver * agreement_.dead_after);
  }
  constexpr double kToAnswer = 1;  // seconds
  next = std::min(next, policy_.next_overdue(kJustOver * agreement_.dead_after));
  return std::max(next, now + std::min(waits_.soft_deadline(), kToAnswer));
}

}  // namespace fedvs::protocol
