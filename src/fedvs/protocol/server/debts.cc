// Clients that promised and did not deliver: a model that too few hold, an upload that never came.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/attendance.h"

namespace fedvs::protocol {

bool Attendance::strike_off(double now) {
  if (settings_.archive == nullptr || !phase_.status()) return false;
  const bool withholding = strike_withholding(now);
  return strike_defaulting(now) || withholding;
}

bool Attendance::strike_withholding(double now) {
  std::vector<std::pair<int, double>> owing;  // who, for how long; the first strike ends that
  for (int n : policy_.overdue(now, agreement_.dead_after, roll().there())) {
    const double owed_for = now - policy_.owed_since(n);
    if (!board_.stuck(n) && owed_for > longest_debt(n)) owing.emplace_back(n, owed_for);
  }
  for (const auto& [n, owed_for] : owing) {
    if (phase_.status()) strike(now, n, owed_for);
  }
  return !owing.empty();
}

// One that catches up gets its gradients first, and one that says nothing is soon declared dead:
// for both it is twice as long. No longer, whatever they say: each could go on like that for ever.
double Attendance::longest_debt(int client) const {
  const bool excused = members_[client].presence.is_behind() || !board_.answers(client);
  return (excused ? 2 : 1) * agreement_.dead_after;
}

void Attendance::strike(double now, int client, double owed_for) {
  auto& conduct = members_[client].conduct;
  ++conduct.withheld;
  conduct.struck_at = now;
  // 0: it is asked as soon as it has caught up.
  conduct.asked_at = members_[client].presence.is_behind() ? 0 : now;
  conduct.asked_step = policy_.pending_of(client).value_or(course_.round);
  board_.set_withholds(client, true);
  open_.died_since = true;
  observer_.on_note(fmt::format(
      "{} no longer counted on in round {}: asked for its model, now of step {}, after {:.0f} s "
      "fewer than R = {} others hold it; its group stands still until they do",
      agreement_.name(client), course_.round, conduct.asked_step, owed_for,
      agreement_.uploads_needed()));
  leave_group(client);
}

// They are asked again now and then, each alone: nothing is opened with what they share.
void Attendance::ask_withholding(double now, std::vector<bool>& share) {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    auto& conduct = members_[n].conduct;
    const bool due = now - conduct.asked_at >= agreement_.dead_after || !conduct.asked_at;
    if (!board_.withholds(n) || !board_.answers(n) || !due) continue;
    if (members_[n].presence.is_behind()) continue;
    conduct.asked_at = now;
    conduct.asked_step = course_.round;
    share[static_cast<std::size_t>(n)] = true;
  }
}

Tasks Attendance::redeem(double now) {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!board_.withholds(n)) continue;
    const auto& conduct = members_[n].conduct;
    const auto others = roll().there();
    const int holders = board_.holders(std::span<const int>(&n, 1), conduct.asked_step);
    if (holders < agreement_.uploads_needed()) continue;
    if (board_.holders_beside(n, conduct.asked_step, others) < board_.needed_beside(n, others))
      continue;
    if (!conduct.may_be_redeemed(now, agreement_.dead_after)) continue;
    board_.set_withholds(n, false);
    observer_.on_note(
        fmt::format("{} shares its model again in round {}", agreement_.name(n), course_.round));
    waits_.hope(now);
    append(tasks, ask_to_share(policy_.returned(n, course_.round, now)));
  }
  return tasks;
}

// By its own word it holds all that the plan takes. Where enough others do not either, this is what
// lets another plan be made.
bool Attendance::strike_defaulting(double now) {
  if (!phase_.is(Phase::kWaiting) || open_.doubt) return false;
  bool any = false;
  const bool quorum_is_away = settings_.heads != nullptr && roll().below_quorum();
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    Timer& able = members_[n].plan.able;
    const bool excused = quorum_is_away && roll().waits_for_heads(n);
    if (!roll().may_upload(n) || open_.box.has_upload_of(n) || excused) {
      able.stop();
      continue;
    }
    able.start_if_stopped(now);
    if (able.elapsed(now) <= agreement_.dead_after) continue;
    members_[n].conduct.begin_to_default();
    board_.set_defaulting(n, true);
    any = true;
    observer_.on_note(
        fmt::format("{} no longer counted on in round {}: it says that it holds all "
                    "that the plan takes, and has not uploaded for {:.0f} s",
                    agreement_.name(n), course_.round, able.elapsed(now)));
  }
  return any;
}

void Attendance::note_upload_of(double now, int client) {
  auto& conduct = members_[client].conduct;
  if (!board_.defaults(client) || --conduct.owes > 0) return;
  board_.set_defaulting(client, false);
  policy_.update(now);
  observer_.on_note(
      fmt::format("{} uploads again in round {}", agreement_.name(client), course_.round));
}

}  // namespace fedvs::protocol
