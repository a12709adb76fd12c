#include "fedvs/sim/forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace fedvs::sim {
namespace {

constexpr double kTie = 1.02, kFarFromBest = 1.5;

Result<std::vector<Forecast>> valid_blocks(Job job, const PublicFacts& facts) {
  std::vector<Forecast> valid;
  for (job.code.blocks = 1;; ++job.code.blocks) {
    auto agreement = agree(job, facts);
    if (!agreement && valid.empty()) return agreement.error();
    if (!agreement) return valid;
    valid.push_back({.agreement = std::move(*agreement), .round = {}});
  }
}

// All, or kMostBlocksTried of them, closer to each other among the small ones.
std::vector<std::size_t> tried(std::size_t count) {
  const std::size_t most = std::min(count, kMostBlocksTried);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    const double along =
        static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(most - 1, 1));
    chosen.push_back(i +
                     static_cast<std::size_t>(along * along * static_cast<double>(count - most)));
  }
  return chosen;
}

void interpolate(std::span<Forecast> between) {  // the first and the last are known
  const auto &first = between.front().round, &last = between.back().round;
  if (!first || !last) return;
  for (std::size_t i = 1; i + 1 < between.size(); ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(between.size() - 1);
    between[i].round = {.mean = std::lerp(first->mean, last->mean, along),
                        .spread = std::lerp(first->spread, last->spread, along),
                        .interpolated = true};
  }
}

// Times that were tried, met in the order of K.
class Choice {
 public:
  void meet(std::size_t index, const RoundTime& round) {
    met_.emplace_back(index, round.mean);
    least_ = std::min(least_, round.mean);
    enough_ = round.mean > kFarFromBest * least_;
  }
  bool enough() const { return enough_; }
  std::optional<std::size_t> best() const {
    for (const auto& [index, seconds] : met_) {
      if (seconds <= kTie * least_) return index;
    }
    return {};
  }

 private:
  std::vector<std::pair<std::size_t, double>> met_;
  double least_ = std::numeric_limits<double>::infinity();
  bool enough_ = false;
};

bool can_be_tried(const PublicFacts& facts) {
  return facts.features.size() <= kMostClientsTried &&
         facts.rows[static_cast<int>(data::Part::kTrain)] > 0;
}

}  // namespace

Result<std::vector<Forecast>> forecasts(const Job& job, const PublicFacts& facts) {
  FEDVS_TRY(auto all, valid_blocks(job, facts));
  if (!can_be_tried(facts)) return all;
  FEDVS_TRY(const auto trials, RoundTrials::create(job, facts));
  const auto chosen = tried(all.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    all[chosen[i]].round = trials.round_time(all[chosen[i]].agreement.shape.blocks);
    if (i == 0) continue;
    interpolate(std::span(all).subspan(chosen[i - 1], chosen[i] - chosen[i - 1] + 1));
  }
  return all;
}

std::optional<std::size_t> fastest(std::span<const Forecast> forecasts) {
  Choice choice;
  for (std::size_t i = 0; i < forecasts.size() && !choice.enough(); ++i) {
    const auto& round = forecasts[i].round;
    if (round && !round->interpolated) choice.meet(i, *round);
  }
  return choice.best();
}

// As fastest(forecasts()), which knows more than is needed.
Result<protocol::Agreement> agree_on_fastest(const Job& job, const PublicFacts& facts) {
  if (job.code.blocks > 0 || !can_be_tried(facts)) return agree(job, facts);
  FEDVS_TRY(auto all, valid_blocks(job, facts));
  if (all.size() == 1) return std::move(all[0].agreement);
  FEDVS_TRY(const auto trials, RoundTrials::create(job, facts));
  Choice choice;
  for (std::size_t i : tried(all.size())) {
    const auto round = trials.round_time(all[i].agreement.shape.blocks);
    if (round) choice.meet(i, *round);
    if (choice.enough()) break;
  }
  const auto best = choice.best();
  return best ? std::move(all[*best].agreement) : agree(job, facts);
}

}  // namespace fedvs::sim
