// Who is not counted on any more, and why: one that refuses, whose uploads are wrong, that does not
// deliver what it promised, or that says too much. No single client's word, silence or state ends a
// run that R others can go on with.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fedvs/protocol/server/attendance.h"

namespace fedvs::protocol {

// ---- what may be said, and how often

// One client's word about another is written down, and nothing follows from it.
Tasks Attendance::on(double now, const Complaint& complaint) {
  note_about(now, complaint.from,
             fmt::format("{} complains of {}: {}", agreement_.name(complaint.from),
                         agreement_.name(complaint.about), complaint.reason));
  return {};
}

// What no honest client sends.
Tasks Attendance::fault(double now, int client, const std::string& what) {
  note_about(now, client, what);
  auto& conduct = members_[client].conduct;
  if (!training_started() || conduct.quarantined || ++conduct.faults < Conduct::kFaults) return {};
  conduct.faults = 0;
  return quarantine(now, client, fmt::format("{} messages like this: {}", Conduct::kFaults, what),
                    /*refused=*/false);
}

// ---- quarantine

// Before training nothing goes on without it.
Tasks Attendance::on(double now, const Refusal& refusal) {
  const std::string what = fmt::format("refused revision {}: {}", refusal.revision, refusal.reason);
  if (!training_started()) {
    const std::string text = fmt::format("{} {}", agreement_.name(refusal.from), what);
    observer_.on_note(text);
    return fail(ErrorCode::kRefused, text);
  }
  return quarantine(now, refusal.from, "it " + what, /*refused=*/true);
}

Tasks Attendance::quarantine(double now, int client, const std::string& why, bool refused) {
  auto& conduct = members_[client].conduct;
  if (conduct.quarantined) return {};
  conduct.quarantined = true;
  conduct.refused = refused;
  conduct.reason = why;
  ++conduct.quarantines;
  board_.set_quarantined(client, true);
  members_[client].presence.leave();
  open_.box.drop(client);
  open_.died_since = true;
  post_.save_due = settings_.archive != nullptr;
  observer_.on_note(
      fmt::format("{} quarantined in round {}: {}", agreement_.name(client), course_.round, why));
  leave_group(client);
  hasten(now);
  Tasks tasks = farewell(client, Ending::kRefused,
                         fmt::format("the run goes on without {} until its operator starts it "
                                     "again: {}",
                                     agreement_.name(client), why));
  append(tasks, end_if_many_refuse());
  return tasks;
}

Tasks Attendance::end_if_many_refuse() {
  std::string names;
  int refusers = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const Conduct& conduct = members_[n].conduct;
    if (!conduct.quarantined || !conduct.refused) continue;
    names +=
        fmt::format("{}{}: {}", refusers++ > 0 ? "; " : "", agreement_.name(n), conduct.reason);
  }
  if (refusers <= agreement_.shape.colluding) return {};
  return fail(ErrorCode::kRefused, fmt::format("{} clients refuse, more than T = {}: {}", refusers,
                                               agreement_.shape.colluding, names));
}

// It lives anew. What it still owes of its model it owes.
void Attendance::pardon(int client) {
  auto& conduct = members_[client].conduct;
  board_.set_defaulting(client, false);
  conduct.owes = 0;
  if (!conduct.quarantined) return;
  conduct.quarantined = conduct.refused = false;
  conduct.faults = 0;
  board_.set_quarantined(client, false);
  post_.save_due = settings_.archive != nullptr;
  observer_.on_note(fmt::format("{} takes part again in round {}, after: {}",
                                agreement_.name(client), course_.round, conduct.reason));
}

}  // namespace fedvs::protocol
