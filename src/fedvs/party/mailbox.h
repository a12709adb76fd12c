// Events from the transport's threads to the one thread that drives a party.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace fedvs::party {

template <class Event>
class Mailbox {
 public:
  using Clock = std::chrono::steady_clock;

  void post(Event event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    came_.notify_one();
  }
  // The oldest, or none by then.
  std::optional<Event> take(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    if (!came_.wait_until(lock, until, [this] { return !events_.empty(); })) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return events_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Event> events_;
};

}  // namespace fedvs::party
