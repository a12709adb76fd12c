// What a party has still to do, and in which order. Tasks run one at a time, first come first
// served; tasks that follow from one come behind those that wait already. Tasks in the background
// (rows that other clients ask for) run when nothing else waits, and those who ask take turns:
// whoever asks for much does not hold up others who ask.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "fedvs/protocol/work.h"

namespace fedvs::drive {

class TaskQueue {
 public:
  void add(protocol::Tasks tasks) {
    for (auto& task : tasks) {
      auto& waiting = task.background ? background_[task.rows_for] : urgent_;
      waiting.push_back(std::move(task));
    }
  }
  // The next one that is not in the background; none: there is no such task.
  std::optional<protocol::Task> next_urgent() {
    if (urgent_.empty()) return std::nullopt;
    return take_first(urgent_);
  }
  // The next one of all; none: nothing is left to do.
  std::optional<protocol::Task> next() {
    if (!urgent_.empty() || background_.empty()) return next_urgent();
    auto asking = background_.upper_bound(served_);
    if (asking == background_.end()) asking = background_.begin();
    served_ = asking->first;
    auto task = take_first(asking->second);
    if (asking->second.empty()) background_.erase(asking);
    return task;
  }
  bool has_background() const { return !background_.empty(); }
  void forget_background() { background_.clear(); }
  void forget_all() {
    urgent_.clear();
    background_.clear();
  }

 private:
  using Waiting = std::deque<protocol::Task>;
  static protocol::Task take_first(Waiting& waiting) {
    auto task = std::move(waiting.front());
    waiting.pop_front();
    return task;
  }
  Waiting urgent_;
  std::map<int, Waiting> background_;  // by who asks; none is empty
  int served_ = -1;                    // who asks for rows and was served last
};

}  // namespace fedvs::drive
