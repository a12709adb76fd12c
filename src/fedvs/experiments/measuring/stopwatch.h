#pragma once
#include <chrono>
#include <ctime>

namespace fedvs::measuring {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

  // Of the processors, all threads of this process together: what other programs do does not count.
  double cpu_seconds() const {
    return static_cast<double>(std::clock() - cpu_started_) / CLOCKS_PER_SEC;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point started_ = Clock::now();
  std::clock_t cpu_started_ = std::clock();
};

}  // namespace fedvs::measuring
