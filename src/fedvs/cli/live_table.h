// Lines at the foot of the terminal (stderr) that are written over.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace fedvs::cli {

class LiveTable {
 public:
  LiveTable();
  ~LiveTable();  // the last state stays
  LiveTable(const LiveTable&) = delete;
  LiveTable& operator=(const LiveTable&) = delete;

  // On a terminal, and some time has passed since the last show().
  bool due() const;
  // Cut to the terminal's width and height, with the number of lines left out.
  void show(const std::vector<std::string>& lines);
  void clear();  // before anything else is written; show() is due after it

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  std::size_t shown_ = 0;  // lines
  Clock::time_point when_{};
};

}  // namespace fedvs::cli
