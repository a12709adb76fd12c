// When all is over: clients that were away, or have lost their last model, come for it.
#include <limits>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

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

}  // namespace fedvs::protocol
