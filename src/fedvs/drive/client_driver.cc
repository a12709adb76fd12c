#include "fedvs/drive/client_driver.h"

#include <utility>

namespace fedvs::drive {

using protocol::Effects;
using protocol::MessagePtr;
using protocol::Task;

Status ClientDriver::start() {
  if (status_) queue_.add(client_.start());
  return run_urgent();
}

Status ClientDriver::come_back() {
  if (status_) queue_.add(client_.come_back());
  return run_urgent();
}

Status ClientDriver::receive(const MessagePtr& message) {
  take(message);
  return run_urgent();
}

Status ClientDriver::run_background() {
  if (const auto task = queue_.next()) run(*task);
  return run_urgent();
}

Status ClientDriver::run_urgent() {
  while (const auto task = queue_.next_urgent()) run(*task);
  return status_;
}

// After an error of the journal the client is told nothing more, and nothing that waits is done.
void ClientDriver::take(const MessagePtr& message) {
  if (!status_) return;
  auto tasks = client_.receive(message);
  note_broken_off();
  status_ = journal_.note(message);
  if (status_) queue_.add(std::move(tasks));
  if (!status_) queue_.forget_all();
}

void ClientDriver::run(const Task& task) {
  Effects effects = decide(task);
  note_broken_off();
  for (const auto& outgoing : effects.sends) {
    if (status_) send(outgoing);
  }
  if (status_) queue_.add(std::move(effects.tasks));
}

Effects ClientDriver::decide(const Task& task) {
  Effects effects = task.run();
  client_.compute_models();
  if (auto instead = client_.take_withdrawal()) return std::move(*instead);
  return effects;
}

void ClientDriver::note_broken_off() {
  if (!client_.broken_off() || std::exchange(broken_off_noted_, true)) return;
  journal_.note_broken_off();
}

void ClientDriver::send(const protocol::Outgoing& outgoing) {
  if (!outgoing.wanted()) return;
  const auto message = outgoing.make();
  if (!message) return;
  client_.compute_uploads();
  if (outgoing.to == client_.number()) return take(message);
  outbox_.send(outgoing.to, outgoing.lane, message);
}

}  // namespace fedvs::drive
