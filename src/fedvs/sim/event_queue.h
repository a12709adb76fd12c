// The virtual clock: events in order of (time, sender, sequence). Actions are kept in slots that
// are used again, so a run in its steady state allocates nothing here.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

namespace fedvs::sim {

class EventQueue {
 public:
  EventQueue() = default;
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;
  ~EventQueue() {
    for (const Event& event : events_) slots_[event.slot].drop();
  }

  double now() const { return now_; }
  std::uint64_t processed() const { return processed_; }
  bool empty() const { return events_.empty(); }

  template <class Action>  // called once, without arguments
  void at(double time, int sender, Action action) {
    events_.push_back({time, sender, sequence_++, store(std::move(action))});
    std::push_heap(events_.begin(), events_.end());
  }
  void run_next() {
    std::pop_heap(events_.begin(), events_.end());
    const Event event = events_.back();
    events_.pop_back();
    now_ = event.time;
    ++processed_;
    slots_[event.slot].run();
    slots_[event.slot].drop();
    free_.push_back(event.slot);
  }

 private:
  struct Event {
    double time;
    int sender;
    std::uint64_t sequence;
    std::size_t slot;
    // The top of the heap is the largest.
    bool operator<(const Event& other) const {
      return std::tie(time, sender, sequence) > std::tie(other.time, other.sender, other.sequence);
    }
  };
  struct Slot {
    static constexpr std::size_t kRoom = 96;  // bytes: a message, or a task
    alignas(std::max_align_t) std::byte room[kRoom];
    void (*call)(void*);
    void (*destroy)(void*);
    void run() { call(room); }
    void drop() { destroy(room); }
  };

  template <class Action>
  std::size_t store(Action action) {
    static_assert(sizeof(Action) <= Slot::kRoom && alignof(Action) <= alignof(std::max_align_t));
    if (free_.empty()) {
      slots_.emplace_back();
      free_.push_back(slots_.size() - 1);
    }
    const std::size_t index = free_.back();
    free_.pop_back();
    Slot& slot = slots_[index];
    ::new (slot.room) Action(std::move(action));
    slot.call = [](void* room) { (*static_cast<Action*>(room))(); };
    slot.destroy = [](void* room) { static_cast<Action*>(room)->~Action(); };
    return index;
  }

  std::vector<Event> events_;  // a heap
  std::deque<Slot> slots_;     // never move
  std::vector<std::size_t> free_;
  double now_ = 0;
  std::uint64_t sequence_ = 0, processed_ = 0;
};

}  // namespace fedvs::sim
