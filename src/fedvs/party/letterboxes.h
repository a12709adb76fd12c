// Events from the transport's threads to the one thread that drives a party. At the server a box
// for every client, emptied in turn, so that nobody waits behind all that another sends. Whoever
// fills its box is not read any more until there is room: what it sends costs its own time, and
// bounded memory. At a client all events are in one box, in the order in which they came.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace fedvs::party {

struct BoxRoom {
  std::size_t events, bytes;  // of one client; an empty box takes any one event
};
inline constexpr BoxRoom kAnyRoom{.events = ~std::size_t{0}, .bytes = ~std::size_t{0}};

template <class Event>
class Letterboxes {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Letterboxes(BoxRoom room) : room_(room) {}

  // Waits while the client's box is full. After close() the event is dropped.
  void post(int client, Event event, std::size_t bytes) {
    {
      std::unique_lock lock(mutex_);
      ++held_up_;
      emptied_.wait(lock, [&] { return closed_ || has_room(client, bytes); });
      --held_up_;
      if (closed_) return;
      Box& box = boxes_[client];
      box.bytes += bytes;
      box.letters.push_back({std::move(event), bytes});
      fullest_ = std::max(fullest_, box.letters.size());
    }
    came_.notify_one();
  }

  // The oldest of the next client in turn, or none by then.
  std::optional<Event> take(Clock::time_point until) {
    std::optional<Event> event;
    {
      std::unique_lock lock(mutex_);
      if (!came_.wait_until(lock, until, [this] { return !boxes_.empty(); })) return std::nullopt;
      event.emplace(take_next());
    }
    emptied_.notify_all();
    return event;
  }

  // Whoever waits in post() returns. Before the hub shuts down, which waits for them.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    emptied_.notify_all();
  }

  std::size_t fullest() const {  // events that ever waited in one box
    const std::lock_guard lock(mutex_);
    return fullest_;
  }
  int held_up() const {  // threads that wait in post()
    const std::lock_guard lock(mutex_);
    return held_up_;
  }

 private:
  struct Letter {
    Event event;
    std::size_t bytes;
  };
  struct Box {
    std::deque<Letter> letters;
    std::size_t bytes = 0;
  };

  // With mutex_ held.
  bool has_room(int client, std::size_t bytes) const {
    const auto box = boxes_.find(client);
    return box == boxes_.end() ||
           (box->second.letters.size() < room_.events && box->second.bytes + bytes <= room_.bytes);
  }
  Event take_next() {
    auto next = boxes_.upper_bound(turn_);
    if (next == boxes_.end()) next = boxes_.begin();
    turn_ = next->first;
    Box& box = next->second;
    Letter letter = std::move(box.letters.front());
    box.letters.pop_front();
    box.bytes -= letter.bytes;
    if (box.letters.empty()) boxes_.erase(next);
    return std::move(letter.event);
  }

  const BoxRoom room_;
  mutable std::mutex mutex_;
  std::condition_variable came_, emptied_;
  std::map<int, Box> boxes_;  // none is empty
  int turn_ = -1;             // whose event was taken last
  int held_up_ = 0;
  bool closed_ = false;
  std::size_t fullest_ = 0;
};

}  // namespace fedvs::party
