#include "fedvs/sim/round_trials.h"

#include <algorithm>
#include <cmath>

#include "fedvs/base/digest.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/model/central.h"

namespace fedvs::sim {
namespace {

constexpr std::int64_t kFirstSeed = 1'000'000;
constexpr int kMostWarmup = 10;  // rounds

std::optional<RoundTime> summary(const std::vector<Result<double>>& seeds) {
  if (!std::ranges::all_of(seeds, [](const auto& seconds) { return seconds.has_value(); }))
    return {};
  RoundTime time;
  const auto count = static_cast<double>(seeds.size());
  for (const auto& seconds : seeds) time.mean += *seconds / count;
  for (const auto& seconds : seeds) time.spread += std::pow(*seconds - time.mean, 2) / (count - 1);
  time.spread = std::sqrt(time.spread);
  return time;
}

}  // namespace

Result<RoundTrials> RoundTrials::create(const Job& job, const PublicFacts& facts) {
  FEDVS_TRY(const auto central, model::make_central(job, facts.classes, /*seed=*/0));
  return RoundTrials(job, facts, central->forward_macs_per_row());
}

RoundTrials::RoundTrials(const Job& job, const PublicFacts& facts, double central_macs)
    : job_(job),
      facts_(facts),
      central_macs_(central_macs),
      effort_(effort_for(job, facts.features.size())) {
  // What comes after it is asked for.
  job_.protocol.warmup_rounds = std::min(job.protocol.warmup_rounds, kMostWarmup);
}

// The fewer clients, the more a round depends on chance, and the less a dry one takes: 0.1 ms among
// 9 clients, 0.6 ms among 28. The mean's standard error is 2 to 5 %.
RoundTrials::Effort RoundTrials::effort_for(const Job& job, std::size_t clients) {
  const bool waits = job.protocol.late_models == LateModels::kWait;  // the same in every round
  const int skipped = std::min(job.protocol.warmup_rounds, kMostWarmup) +
                      std::min(job.protocol.max_age, kMostWarmup);
  Effort effort{
      .seeds = 2, .skipped = waits ? 1 : static_cast<std::size_t>(skipped), .measured = 25};
  if (clients <= 40) effort.seeds = 4, effort.measured = 80;
  if (clients <= 12) effort.seeds = 8, effort.measured = 160;
  return effort;
}

Result<double> RoundTrials::seconds_per_round(int blocks, std::int64_t seed) const {
  Job job = job_;
  job.code.blocks = blocks;
  job.sim.seed = seed;
  FEDVS_TRY(const auto opened,
            dry_run(job, facts_, central_macs_, effort_.skipped + effort_.measured));
  const double seconds = opened.back() - opened[effort_.skipped - 1];
  return seconds / static_cast<double>(effort_.measured);
}

std::optional<RoundTime> RoundTrials::round_time(int blocks) const {
  // OpenSSL keeps what it makes at its first use for the thread that was first; a worker that lives
  // to the end of the program would never give it back.
  const Hasher first_use;
  std::vector<Result<double>> seconds(effort_.seeds, Error{ErrorCode::kStopped, "not run"});
  ThreadPool::global().parallel_for(effort_.seeds, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      seconds[i] = seconds_per_round(blocks, kFirstSeed + static_cast<std::int64_t>(i));
    }
  });
  return summary(seconds);
}

}  // namespace fedvs::sim
