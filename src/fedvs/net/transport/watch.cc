#include "fedvs/net/transport/watch.h"

#include <algorithm>
#include <utility>

namespace fedvs::transport {
namespace {

Duration period_of(const Limits& limits) {
  const Duration shortest =
      std::min({limits.silent_after, limits.connect_within, limits.goodbye_within});
  return std::clamp(shortest / 4, Duration(10), Duration(250));
}

}  // namespace

Watch::Watch(const Limits& limits)
    : period_(period_of(limits)), thread_([this] {
        std::unique_lock lock(mutex_);
        while (!stopped_.wait_for(lock, period_, [this] { return stop_; })) {
          lock.unlock();
          look();
          lock.lock();
        }
      }) {}

Watch::~Watch() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

void Watch::add(std::weak_ptr<Session> session) {
  std::lock_guard lock(mutex_);
  sessions_.push_back(std::move(session));
}

void Watch::look() {
  std::vector<std::shared_ptr<Session>> alive;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
    for (const auto& session : sessions_) {
      if (auto held = session.lock()) alive.push_back(std::move(held));
    }
  }
  const auto now = Clock::now();
  for (const auto& session : alive) session->watch(now);
}

}  // namespace fedvs::transport
