// The seconds that a run has taken, over all restarts of the server: the clock that the protocol's
// server and the records go by.
#pragma once
#include <algorithm>
#include <chrono>

namespace fedvs::party {

class RunClock {
 public:
  using Clock = std::chrono::steady_clock;
  // After a restart: where the run had been before.
  void go_on(double seconds) { before_ = seconds; }
  double now() const {
    return before_ + std::chrono::duration<double>(Clock::now() - started_).count();
  }
  // When it will be that late; long past `seconds`: now.
  Clock::time_point at(double seconds) const {
    const std::chrono::duration<double> left(std::max(0.0, seconds - now()));
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
  }

 private:
  double before_ = 0;
  Clock::time_point started_ = Clock::now();
};

// True now and then: when `each` has passed since it last was.
class Every {
 public:
  using Clock = RunClock::Clock;
  Every(Clock::duration each, Clock::time_point last) : each_(each), last_(last) {}
  bool due(Clock::time_point now) {
    if (now - last_ < each_) return false;
    last_ = now;
    return true;
  }

 private:
  Clock::duration each_;
  Clock::time_point last_;
};

}  // namespace fedvs::party
