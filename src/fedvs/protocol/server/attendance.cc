#include "fedvs/protocol/server/attendance.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/groups.h"

namespace fedvs::protocol {

Attendance::Attendance(const Agreement& agreement, const coding::LagrangeCode& code,
                       Observer& observer, ServerSettings settings)
    : agreement_(agreement),
      observer_(observer),
      settings_(std::move(settings)),
      course_(agreement, settings_.batch_seed),
      open_(agreement, code),
      waits_(agreement.dead_after, settings_.archive != nullptr),
      gates_(agreement.shape.parties),
      members_(agreement.shape.parties),
      board_(agreement),
      policy_(agreement, board_) {}

// ---- what is said to whom

Tasks Attendance::fail(ErrorCode code, std::string message) {
  phase_.fail(Error{code, std::move(message)});
  waits_.deadline = kNever;
  return {};
}

void Attendance::note_about(double now, int client, const std::string& text) {
  if (settings_.archive == nullptr || gates_.remarks.pass(now, client)) observer_.on_note(text);
}

Tasks Attendance::to_all(MessagePtr message, std::size_t bytes) const {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(outgoing(n, Lane::kControl, bytes, message)));
  }
  return tasks;
}

Tasks Attendance::farewell(int client, Ending ending, std::string reason) {
  note_about(waits_.now, client, reason);
  const std::size_t bytes = reason.size();
  Tasks tasks;
  tasks.push_back(send_now(
      outgoing(client, Lane::kControl, bytes, make_message(Farewell{ending, std::move(reason)}))));
  return tasks;
}

// It may come again with another folder; until then nothing is expected of it.
Tasks Attendance::send_away(int client, std::string reason) {
  members_[client].presence.send_away();
  board_.lose(client);
  hasten(waits_.now);
  return farewell(client, Ending::kRefused, std::move(reason));
}

Tasks Attendance::request_reports(bool fetch_again) {
  waits_.reports_requested = true;
  waits_.asked_at = waits_.now;
  for (Member& member : members_) member.reported = false;
  const auto request = make_message(ReportRequest{.fetch_again = fetch_again});
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(outgoing(n, Lane::kControl, 8, request)));
  }
  return tasks;
}

// Without a plan: of the step that the clients are at.
Tasks Attendance::ask_to_share(const std::vector<bool>& share) {
  Step step{.gradient = {},
            .share = share,
            .plan = {},
            .groups = post_.groups,
            .frozen = policy_.frozen(),
            .released = policy_.released()};
  const auto message = make_message(std::move(step));
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!share[static_cast<std::size_t>(n)] || members_[n].presence.is_behind()) continue;
    tasks.push_back(send_now(outgoing(n, Lane::kControl, 8 * share.size(), message)));
  }
  return tasks;
}

// It was slow, or stopped for a while, and has lost nothing.
Tasks Attendance::declare_alive(double now, int client) {
  if (!board_.dead(client) || !members_[client].presence.here()) return {};
  observer_.on_note(
      fmt::format("{} answers again in round {}", agreement_.name(client), course_.round));
  board_.declare_alive(client);
  waits_.hope(now);
  return ask_to_share(policy_.returned(client, course_.round, now));
}

// Somebody is away or out: whoever waits looks at it soon.
void Attendance::hasten(double now) {
  if (settings_.archive == nullptr) return;
  if (!phase_.is(Phase::kWaiting) && !phase_.is(Phase::kCollecting)) return;
  constexpr double kToComeBack = 1;  // seconds, for one that is only cut off
  waits_.span = std::min(waits_.soft_deadline(), kToComeBack);
  waits_.deadline = std::min(waits_.deadline, now + waits_.span);
}

// ---- groups

// Where clients were in a run over the same rows there is nothing to measure: groups stay.
void Attendance::adopt_groups() {
  if (policy_.groups_formed() || agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0) return;
  const Groups bound =
      binding_groups(agreement_, members_.each(&Member::bound_groups), settings_.groups);
  if (bound.empty()) return;
  policy_.adopt_groups(bound);
  post_.groups = std::make_shared<const Groups>(policy_.groups());
  observer_.on_note("these rows were trained on before: the groups are those of then");
  observer_.on_groups(*post_.groups);
}

void Attendance::form_groups() {
  if (policy_.groups_formed()) return;
  const auto rounds = static_cast<double>(std::max<std::uint64_t>(course_.round, 1));
  for (Member& member : members_) member.model_shares.lateness /= rounds;
  policy_.form_groups(members_.each(lateness_of), waits_.pace.on_time());
  post_.groups = std::make_shared<const Groups>(policy_.groups());
  observer_.on_groups(*post_.groups);
  post_.save_due =
      post_.save_due || settings_.archive != nullptr;  // before anybody is told of them
}

// Nothing new comes of its model: the rest of its group stands still with it, or goes on without
// it.
void Attendance::leave_group(int n) {
  if (agreement_.on_dead == OnDead::kStop) {
    fail(ErrorCode::kTooFewShares,
         fmt::format("{} is dead and protocol.on_dead is \"stop\"", agreement_.name(n)));
    return;
  }
  form_groups();  // if it died during warm-up: groups bound what its death stops
  if (agreement_.on_dead == OnDead::kRelease) {
    observer_.on_note(
        fmt::format("{} released from its group: from now on its model can "
                    "be told apart in the sums",
                    agreement_.name(n)));
    policy_.release(n);
  } else {
    policy_.freeze_group_of(n);
  }
}

}  // namespace fedvs::protocol
