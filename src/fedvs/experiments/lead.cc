#include "fedvs/experiments/lead.h"

#include <algorithm>

#include "fedvs/report/curve.h"

namespace fedvs::experiments {
namespace {

constexpr double kNotBegun = -1;

// Mean accuracy against time.
report::Curve curve_of(const Outcome& outcome) {
  std::vector<report::Points> runs;
  for (const auto& seed : outcome.seeds) {
    auto& run = runs.emplace_back();
    for (const auto& row : seed) run.emplace_back(row.virtual_seconds, row.test_accuracy);
  }
  return report::mean_and_spread(std::move(runs));
}

double value_at(const report::Curve& curve, double time) {
  if (curve.x.empty() || time < curve.x.front()) return kNotBegun;
  if (time >= curve.x.back()) return curve.mean.back();
  const auto next =
      static_cast<std::size_t>(std::ranges::upper_bound(curve.x, time) - curve.x.begin());
  const double share = (time - curve.x[next - 1]) / (curve.x[next] - curve.x[next - 1]);
  return curve.mean[next - 1] + share * (curve.mean[next] - curve.mean[next - 1]);
}

// All times at which a curve bends, begins or ends, however close, and some between any two: who is
// ahead early must not vanish beside a line that takes a hundred times as long.
std::vector<double> times_of(const std::vector<report::Curve>& curves) {
  constexpr int kBetween = 100;
  std::vector<double> bends, times;
  for (const auto& curve : curves) bends.insert(bends.end(), curve.x.begin(), curve.x.end());
  std::ranges::sort(bends);
  bends.erase(std::unique(bends.begin(), bends.end()), bends.end());
  for (std::size_t i = 0; i + 1 < bends.size(); ++i) {
    const double step = (bends[i + 1] - bends[i]) / kBetween;
    for (int part = 0; part < kBetween; ++part) times.push_back(bends[i] + part * step);
  }
  if (!bends.empty()) times.push_back(bends.back());
  return times;
}

// Which of the others is ahead of ours, the first of the curves; nobody if it is level.
const Outcome* ahead_at(double time, const std::vector<report::Curve>& curves,
                        const std::vector<const Outcome*>& others, double points) {
  const double ours = value_at(curves[0], time);
  const Outcome* ahead = nullptr;
  double best = ours == kNotBegun ? kNotBegun : ours + points / 100;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const double theirs = value_at(curves[i + 1], time);
    if (theirs > best) {
      ahead = others[i];
      best = theirs;
    }
  }
  return ahead;
}

}  // namespace

Lead lead_of(const Outcome& ours, const std::vector<const Outcome*>& others, double points) {
  std::vector<report::Curve> curves = {curve_of(ours)};
  for (const auto* other : others) curves.push_back(curve_of(*other));
  const auto times = times_of(curves);
  Lead lead;
  lead.known = std::ranges::none_of(curves, [](const auto& curve) { return curve.x.empty(); });
  if (!times.empty()) lead.end = times.back();
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Outcome* ahead = ahead_at(times[i], curves, others, points);
    if (ahead == nullptr) {
      if (lead.for_good < 0) lead.for_good = times[i];
      continue;
    }
    lead.for_good = -1;
    if (lead.ahead_first.empty()) lead.ahead_first = ahead->name;
    if (i + 1 < times.size()) lead.behind += times[i + 1] - times[i];
  }
  return lead;
}

}  // namespace fedvs::experiments
