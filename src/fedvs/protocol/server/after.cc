// When all is over: clients that were away, or have lost their last model, come for it.
#include <limits>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

std::vector<int> Server::unsaved() const {
  std::vector<int> clients;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!members_[n].finished) clients.push_back(n);
  }
  return clients;
}

Tasks Server::receive_late(double now, const Message& message) {
  if (const auto* hello = std::get_if<Hello>(&message)) return welcome_late(now, *hello);
  const auto* report = std::get_if<Report>(&message);
  if (report == nullptr) return {};
  Member& member = members_[report->from];
  if (!report->finished) {
    return member.presence.is_behind() ? catch_up(now, report->from) : Tasks{};
  }
  post_.save_due = !member.finished;
  member.finished = true;
  return {};
}

// To it alone: for the others the run is over.
Tasks Server::welcome_late(double now, const Hello& hello) {
  if (const auto checked = check_return(hello); !checked) {
    return farewell(hello.from, Ending::kRefused, checked.error().message);
  }
  meet(hello);
  members_[hello.from].presence.come_behind(hello.step);
  Tasks tasks;
  tasks.push_back(
      send_now(outgoing(hello.from, Lane::kControl, welcome_bytes(), make_message(welcome()))));
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

void Server::save_ending(ByteWriter& out) const {
  out.flag(phase_.is(Phase::kDone));
  if (!phase_.is(Phase::kDone)) return;
  for (const Member& member : members_) out.flag(member.finished);
  Plan named;  // by the last plan: what rows are scored with
  if (open_.plan) named.versions = open_.plan->versions;
  write_plan(out, named);
}

Status Server::restore_ending(ByteReader& in) {
  FEDVS_TRY(const bool done, in.flag());
  if (!done) return {};
  for (Member& member : members_) {
    FEDVS_TRY(member.finished, in.flag());
  }
  FEDVS_TRY(auto named, read_plan(in));
  open_.plan = std::make_shared<const Plan>(std::move(named));
  phase_.enter(Phase::kDone);
  waits_.deadline = kNever;
  return {};
}

}  // namespace fedvs::protocol
