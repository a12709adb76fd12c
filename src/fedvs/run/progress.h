// A live line on a terminal, plain lines elsewhere. Writes to stderr: stdout is for results.
#pragma once
#include <chrono>
#include <string>

#include "fedvs/run/live_line.h"

namespace fedvs::run {

class Progress {
 public:
  // `clock`: what the time is called, "virtual" or "after".
  explicit Progress(bool quiet, std::string clock = "virtual");
  const std::string& clock() const { return clock_; }

  struct State {
    double done = 0;  // of the whole run, 0 .. 1
    int epoch = 0, epochs = 0;
    std::uint64_t round = 0;
    double loss = 0, accuracy = -1;  // accuracy < 0: not evaluated yet
    double virtual_seconds = 0;
    int late = 0, clients = 0;  // clients that the last round did not wait for
  };
  void show(const State& state);       // as often as one likes
  void line(const std::string& text);  // a line that stays

 private:
  using Clock = std::chrono::steady_clock;
  std::string render(const State& state) const;
  LiveLine line_;
  std::string clock_;
  Clock::time_point started_;
  double done_at_start_ = -1;
  std::uint64_t round_at_start_ = 0;
};

}  // namespace fedvs::run
