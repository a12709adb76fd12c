// Registering trials with Google Benchmark: names are paths that scripts/bench reads,
//   product/rns4/vnni/64x784x64     product/flint/64x784x64     probe/rns4/vnni
// and "per_second" counts multiply-adds or bytes.
#pragma once
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

namespace fedvs::bench {

// Rates are of processor time: one thread, and the machine may have other things to do.
// Makes the trial when its turn comes, so that only one is in memory; times run().
template <class Make>
void register_trial(const std::string& name, double amount, Make make) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    auto trial = make();
    trial->run();  // touches the output
    for (auto _ : state) trial->run();
    state.counters["per_second"] =
        benchmark::Counter(amount, benchmark::Counter::kIsIterationInvariantRate);
  });
}

}  // namespace fedvs::bench
