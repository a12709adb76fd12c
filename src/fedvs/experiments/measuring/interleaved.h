// Timings that can be compared: all candidates in turn, again and again, so that a slow moment of
// the machine meets all of them.
#pragma once
#include <functional>
#include <vector>

namespace fedvs::measuring {

struct Spread {
  double min = 0, median = 0, max = 0;
};
Spread spread_of(std::vector<double> values);  // at least one

// Seconds per call of each, of the processor: for work of one thread. A turn repeats a call until
// `least_seconds` have passed.
std::vector<Spread> time_interleaved(const std::vector<std::function<void()>>& calls,
                                     int repetitions, double least_seconds);

}  // namespace fedvs::measuring
