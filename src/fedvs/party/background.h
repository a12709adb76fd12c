// What a client does when nothing more urgent waits: it deals masks, without which no round is
// opened, and makes the rows that others ask for. Of five tasks one is rows while both wait, and
// those who ask take turns: whoever asks for much holds up neither rounds nor others who ask.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "fedvs/protocol/work.h"

namespace fedvs::party {

class Background {
 public:
  void add(protocol::Task task) {
    auto& queue = task.rows_for == protocol::kServer ? masks_ : rows_[task.rows_for];
    queue.push_back(std::move(task));
  }
  // Whether there is a task to take, of rows only if these may be taken now.
  bool has_next(bool rows_too) const { return !masks_.empty() || (rows_too && !rows_.empty()); }
  std::optional<protocol::Task> next(bool rows_too) {
    if (!has_next(rows_too)) return std::nullopt;
    const bool rows = rows_too && !rows_.empty();
    if (rows && (masks_.empty() || masks_in_a_row_ >= kMasksInARow)) return next_rows();
    ++masks_in_a_row_;
    auto task = std::move(masks_.front());
    masks_.pop_front();
    return task;
  }
  bool empty() const { return masks_.empty() && rows_.empty(); }
  void clear() {
    masks_.clear();
    rows_.clear();
  }

 private:
  static constexpr int kMasksInARow = 4;
  protocol::Task next_rows() {
    masks_in_a_row_ = 0;
    auto next = rows_.upper_bound(turn_);
    if (next == rows_.end()) next = rows_.begin();
    turn_ = next->first;
    auto task = std::move(next->second.front());
    next->second.pop_front();
    if (next->second.empty()) rows_.erase(next);
    return task;
  }
  std::deque<protocol::Task> masks_;
  std::map<int, std::deque<protocol::Task>> rows_;  // by who asks; none is empty
  int turn_ = -1;                                   // who was served last
  int masks_in_a_row_ = 0;
};

}  // namespace fedvs::party
