#include "fedvs/drive/server_driver.h"

#include <utility>

namespace fedvs::drive {

using protocol::Effects;
using protocol::MessagePtr;

Status ServerDriver::receive(const MessagePtr& message) {
  if (!status_) return status_;
  return run(server_.receive(now_(), message));
}

Status ServerDriver::tick() {
  const double now = now_();
  if (!status_ || now < server_.next_deadline()) return status_;
  return run(server_.tick(now));
}

Status ServerDriver::run(protocol::Tasks tasks) {
  queue_.add(std::move(tasks));
  while (const auto task = queue_.next()) run_one(*task);
  if (status_) save_if_due();
  return status_;
}

void ServerDriver::run_one(const protocol::Task& task) {
  server_.clock(now_());
  Effects effects = task.run();
  save_if_due();
  if (!status_) return;
  for (const auto& outgoing : effects.sends) {
    const auto message = outgoing.wanted() ? outgoing.make() : nullptr;
    if (message) outbox_.send(outgoing.to, outgoing.lane, message);
  }
  queue_.add(std::move(effects.tasks));
}

// After an error nothing that waits is done.
void ServerDriver::save_if_due() {
  if (!server_.may_be_saved()) {
    status_ = server_.status();
  } else if (server_.take_save_due()) {
    status_ = journal_.save(ServerJournal::Moment::kBeforeSending);
  }
  if (!status_) queue_.forget_all();
}

Status ServerDriver::save_last() {
  if (!server_.training_started() || !server_.may_be_saved()) return {};
  return journal_.save(ServerJournal::Moment::kLast);
}

}  // namespace fedvs::drive
