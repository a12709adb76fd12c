#include "fedvs/study/lead.h"

#include <algorithm>

#include "fedvs/report/curve.h"

namespace fedvs::study {
namespace {

constexpr int kTimes = 1000;  // looked at, evenly
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

std::pair<double, double> range_of(const std::vector<report::Curve>& curves) {
  double begin = 0, end = 0;
  bool any = false;
  for (const auto& curve : curves) {
    if (curve.x.empty()) continue;
    begin = any ? std::min(begin, curve.x.front()) : curve.x.front();
    end = std::max(end, curve.x.back());
    any = true;
  }
  return {begin, end};
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
  const auto [begin, end] = range_of(curves);
  Lead lead;
  lead.end = end;
  int level = 0;
  for (int i = 0; i < kTimes; ++i) {
    const double time = begin + (end - begin) * i / (kTimes - 1);
    const Outcome* ahead = ahead_at(time, curves, others, points);
    level += ahead == nullptr;
    if (ahead != nullptr) lead.for_good = -1;
    if (ahead == nullptr && lead.for_good < 0) lead.for_good = time;
    if (ahead != nullptr && lead.ahead_first.empty()) lead.ahead_first = ahead->name;
  }
  lead.share = static_cast<double>(level) / kTimes;
  return lead;
}

}  // namespace fedvs::study
