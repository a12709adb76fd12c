#include "fedvs/experiments/outcome.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fedvs/run/metrics_log.h"

namespace fedvs::experiments {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

template <class Measure>
Spread spread_of(const Outcome& outcome, Measure measure) {
  if (outcome.seeds.empty()) return {kNone, kNone, kNone};
  Spread s{0, measure(outcome.seeds[0]), measure(outcome.seeds[0])};
  for (const auto& run : outcome.seeds) {
    const double value = measure(run);
    s.mean += value / static_cast<double>(outcome.seeds.size());
    s.low = std::min(s.low, value);
    s.high = std::max(s.high, value);
  }
  return s;
}

}  // namespace

Result<Outcome> read_outcome(const Folder& folder, const Line& line) {
  Outcome outcome;
  outcome.name = line.name;
  outcome.wanted = line.runs.size();
  for (const auto& run : line.runs) {
    if (!folder.has_result(run)) continue;
    FEDVS_TRY(const auto result, folder.result(run));
    FEDVS_TRY(auto metrics, run::read_metrics(folder.run(run) / "metrics.csv"));
    if (metrics.empty()) continue;
    outcome.seeds.push_back(std::move(metrics));
    if (result.contains("K")) outcome.blocks.push_back(result.value("K", 0));
    if (outcome.first_run.empty()) outcome.first_run = run;
    outcome.origins.emplace(run, origin_of(result));
  }
  return outcome;
}

Result<std::vector<Outcome>> read_outcomes(const Folder& folder, const Panel& panel) {
  std::vector<Outcome> outcomes;
  for (const auto& line : panel.lines) {
    FEDVS_TRY(Outcome outcome, read_outcome(folder, line));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

const Outcome* find(const std::vector<Outcome>& outcomes, const std::string& name) {
  const auto found = std::ranges::find(outcomes, name, &Outcome::name);
  return found == outcomes.end() || found->seeds.empty() ? nullptr : &*found;
}

Spread end_accuracy(const Outcome& outcome) {
  return spread_of(outcome, [](const Metrics& run) { return run.back().test_accuracy; });
}

Spread best_accuracy(const Outcome& outcome) {
  return spread_of(outcome, report::best_test_accuracy);
}

Spread end_seconds(const Outcome& outcome) {
  return spread_of(outcome, [](const Metrics& run) { return run.back().virtual_seconds; });
}

Spread end_megabytes(const Outcome& outcome) {
  return spread_of(outcome, [](const Metrics& run) {
    return static_cast<double>(run.back().bytes_per_client) / 1e6;
  });
}

double best_accuracy(const std::vector<Outcome>& outcomes) {
  double best = 0;
  for (const auto& outcome : outcomes) {
    if (!outcome.seeds.empty()) best = std::max(best, best_accuracy(outcome).mean);
  }
  return best;
}

std::optional<double> seconds_to(const Metrics& run, double accuracy) {
  const auto there =
      std::ranges::find_if(run, [&](const auto& row) { return row.test_accuracy >= accuracy; });
  if (there == run.end()) return std::nullopt;
  if (there == run.begin()) return there->virtual_seconds;
  const auto before = std::prev(there);
  const double share =
      (accuracy - before->test_accuracy) / (there->test_accuracy - before->test_accuracy);
  return before->virtual_seconds + share * (there->virtual_seconds - before->virtual_seconds);
}

Reached seconds_to(const Outcome& outcome, double accuracy) {
  Reached reached;
  for (const auto& run : outcome.seeds) {
    const auto seconds = seconds_to(run, accuracy);
    if (!seconds) continue;
    reached.seconds += *seconds;
    ++reached.seeds;
  }
  if (reached.seeds > 0) reached.seconds /= static_cast<double>(reached.seeds);
  return reached;
}

std::optional<SpeedUp> speed_up(const Outcome& ours, const Outcome& reference, double best) {
  if (ours.seeds.empty() || reference.seeds.empty()) return std::nullopt;
  for (auto share = std::rbegin(kShares); share != std::rend(kShares); ++share) {
    const Reached here = seconds_to(ours, *share * best),
                  there = seconds_to(reference, *share * best);
    if (here.seeds < ours.seeds.size() || there.seeds < reference.seeds.size()) continue;
    if (here.seconds > 0) return SpeedUp{there.seconds / here.seconds, *share};
  }
  return std::nullopt;
}

}  // namespace fedvs::experiments
