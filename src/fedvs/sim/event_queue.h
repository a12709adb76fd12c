// The virtual clock: events in order of (time, sender, sequence).
#pragma once
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace fedvs::sim {

class EventQueue {
 public:
  using Action = std::function<void()>;

  double now() const { return now_; }
  std::uint64_t processed() const { return processed_; }
  bool empty() const { return events_.empty(); }
  void at(double time, int sender, Action action) {
    events_.push({time, sender, sequence_++, std::move(action)});
  }
  void run_next() {
    Event event = events_.top();
    events_.pop();
    now_ = event.time;
    ++processed_;
    event.action();
  }

 private:
  struct Event {
    double time;
    int sender;
    std::uint64_t sequence;
    Action action;
    bool operator<(const Event& other) const {  // the top of the heap is the largest
      if (time != other.time) return time > other.time;
      if (sender != other.sender) return sender > other.sender;
      return sequence > other.sequence;
    }
  };
  std::priority_queue<Event> events_;
  double now_ = 0;
  std::uint64_t sequence_ = 0, processed_ = 0;
};

}  // namespace fedvs::sim
