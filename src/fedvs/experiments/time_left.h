// How long a sweep will still take: expected times, corrected by those of the runs that ended.
#pragma once
#include <span>

namespace fedvs::experiments {

struct Expected {
  double seconds = 0;  // by the cost model
  double elapsed = 0;  // of a run under way
};

class TimeLeft {
 public:
  void ended(double expected_seconds, double seconds);
  // With `jobs` runs at a time; each of them takes what the ended ones make likely.
  double estimate(std::span<const Expected> unfinished, int jobs) const;

 private:
  double expected_ = 0, measured_ = 0;  // sums over the runs that ended
};

}  // namespace fedvs::experiments
