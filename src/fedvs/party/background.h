// What a client does when nothing more urgent waits: it makes the rows that others ask for. Those
// who ask take turns: whoever asks for much does not hold up others who ask.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "fedvs/protocol/work.h"

namespace fedvs::party {

class Background {
 public:
  void add(protocol::Task task) { rows_[task.rows_for].push_back(std::move(task)); }
  bool empty() const { return rows_.empty(); }
  void clear() { rows_.clear(); }
  std::optional<protocol::Task> next() {
    if (rows_.empty()) return std::nullopt;
    auto asking = rows_.upper_bound(turn_);
    if (asking == rows_.end()) asking = rows_.begin();
    turn_ = asking->first;
    auto task = std::move(asking->second.front());
    asking->second.pop_front();
    if (asking->second.empty()) rows_.erase(asking);
    return task;
  }

 private:
  std::map<int, std::deque<protocol::Task>> rows_;  // by who asks; none is empty
  int turn_ = -1;                                   // who was served last
};

}  // namespace fedvs::party
