#include "fedvs/experiments/time_left.h"

#include <algorithm>

namespace fedvs::experiments {

void TimeLeft::ended(double expected_seconds, double seconds) {
  expected_ += expected_seconds;
  measured_ += seconds;
}

double TimeLeft::estimate(std::span<const Expected> unfinished, int jobs) const {
  const double factor = expected_ > 0 ? measured_ / expected_ : 1;
  double sum = 0, longest = 0;
  for (const auto& run : unfinished) {
    const double left = std::max(0.0, factor * run.seconds - run.elapsed);
    sum += left;
    longest = std::max(longest, left);
  }
  return std::max(longest, sum / std::max(1, jobs));
}

}  // namespace fedvs::experiments
