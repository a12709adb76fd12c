// The time per round of every K that a job allows, and the K that is fastest. A larger K makes the
// batches of coded rows smaller, so that computing takes less, but waits for more uploads: what
// weighs more depends on delays, rates, bandwidth and the data's shape, so it is tried (dry_run.h).
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "fedvs/sim/round_trials.h"

namespace fedvs::sim {

struct Forecast {
  protocol::Agreement agreement;
  std::optional<RoundTime> round;  // none: more than kMostClientsTried, or a run would fail
};

// Trying takes a time that grows with N^2: 0.2 s per K on one core for N = 28.
inline constexpr std::size_t kMostClientsTried = 100;
// Of more values of K, some are tried and the others interpolated.
inline constexpr std::size_t kMostBlocksTried = 14;

// Every K that N, T and the rows allow, from 1 on; an error if there is none.
Result<std::vector<Forecast>> forecasts(const Job& job, const PublicFacts& facts);

// Index of the K that "auto" stands for: of those within 2 % of the fastest the smallest, which
// waits for the fewest uploads. None where no time is known. Times first fall with K and then rise:
// it looks no further than a K that takes 1.5 times as long as the fastest below it.
std::optional<std::size_t> fastest(std::span<const Forecast> forecasts);

// What the parties of a simulation agree on, K = "auto" being the fastest. Where no time is known,
// as protocol::agree has it.
Result<protocol::Agreement> agree_on_fastest(const Job& job, const PublicFacts& facts);

}  // namespace fedvs::sim
