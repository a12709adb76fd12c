#include "fedvs/experiments/measuring/interleaved.h"

#include <algorithm>

#include "fedvs/experiments/measuring/stopwatch.h"

namespace fedvs::measuring {
namespace {

double seconds_per_call(const std::function<void()>& call, double least_seconds) {
  const Stopwatch watch;
  double calls = 0;
  do {
    call();
    ++calls;
  } while (watch.seconds() < least_seconds);
  return watch.cpu_seconds() / calls;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

std::vector<Spread> time_interleaved(const std::vector<std::function<void()>>& calls,
                                     int repetitions, double least_seconds) {
  std::vector<std::vector<double>> seconds(calls.size());
  for (const auto& call : calls) call();  // touches memory, fills caches
  for (int turn = 0; turn < repetitions; ++turn) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      seconds[i].push_back(seconds_per_call(calls[i], least_seconds));
    }
  }
  std::vector<Spread> spreads;
  for (auto& all : seconds) spreads.push_back(spread_of(std::move(all)));
  return spreads;
}

}  // namespace fedvs::measuring
