// When all is over: clients that were away, or have lost their last model, come for it.
#include <limits>

#include "fedvs/protocol/server.h"

namespace fedvs::protocol {

std::vector<int> Server::unsaved() const {
  std::vector<int> clients;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!finished_[static_cast<std::size_t>(n)]) clients.push_back(n);
  }
  return clients;
}

Tasks Server::receive_late(double now, const Message& message) {
  if (const auto* hello = std::get_if<Hello>(&message)) return welcome_late(now, *hello);
  const auto* report = std::get_if<Report>(&message);
  if (report == nullptr) return {};
  const auto n = static_cast<std::size_t>(report->from);
  if (!report->finished) return behind_[n] ? catch_up(now, report->from) : Tasks{};
  save_due_ = !finished_[n];
  finished_[n] = true;
  return {};
}

// To it alone: for the others the run is over.
Tasks Server::welcome_late(double now, const Hello& hello) {
  if (const auto checked = check_return(hello); !checked) {
    return farewell(hello.from, Ending::kRefused, checked.error().message);
  }
  meet(hello);
  behind_[static_cast<std::size_t>(hello.from)] = Behind{.next = hello.step};
  Tasks tasks;
  tasks.push_back(send_now(
      outgoing(hello.from, Channel::kControl, 16 * (1 + here_.size()), make_message(welcome()))));
  append(tasks, catch_up(now, hello.from));
  return tasks;
}

void Server::save_ending(ByteWriter& out) const {
  out.flag(phase_ == Phase::kDone);
  if (phase_ != Phase::kDone) return;
  for (const bool finished : finished_) out.flag(finished);
  Plan named;  // by the last plan: what rows are scored with
  if (plan_) named.versions = plan_->versions;
  write_plan(out, named);
}

Status Server::restore_ending(ByteReader& in) {
  FEDVS_TRY(const bool done, in.flag());
  if (!done) return {};
  for (std::size_t n = 0; n < finished_.size(); ++n) {
    FEDVS_TRY(const bool finished, in.flag());
    finished_[n] = finished;
  }
  FEDVS_TRY(auto named, read_plan(in));
  plan_ = std::make_shared<const Plan>(std::move(named));
  phase_ = Phase::kDone;
  deadline_ = std::numeric_limits<double>::infinity();
  return {};
}

}  // namespace fedvs::protocol
