#include "fedvs/report/curve.h"

#include <algorithm>
#include <cmath>

namespace fedvs::report {
namespace {

void tidy(Points& run) {
  std::erase_if(run, [](const auto& point) { return !std::isfinite(point.second); });
  Points kept;
  for (const auto& point : run) {
    if (!kept.empty() && kept.back().first == point.first) kept.pop_back();
    kept.push_back(point);
  }
  run = std::move(kept);
}

// Needs x within the run.
double value_at(const Points& run, double x) {
  const auto next =
      std::ranges::lower_bound(run, x, {}, [](const auto& point) { return point.first; });
  if (next->first == x) return next->second;
  const auto before = std::prev(next);
  const double share = (x - before->first) / (next->first - before->first);
  return before->second + share * (next->second - before->second);
}

std::vector<double> common_grid(const std::vector<Points>& runs) {
  double begin = runs[0].front().first, end = runs[0].back().first;
  for (const auto& run : runs) {
    begin = std::max(begin, run.front().first);
    end = std::min(end, run.back().first);
  }
  std::vector<double> grid;
  for (const auto& run : runs) {
    for (const auto& point : run) {
      if (point.first >= begin && point.first <= end) grid.push_back(point.first);
    }
  }
  std::ranges::sort(grid);
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

std::vector<double> thinned(const std::vector<double>& grid) {
  if (grid.size() <= kMostPoints) return grid;
  std::vector<double> kept;
  for (std::size_t i = 0; i < kMostPoints; ++i) {
    kept.push_back(grid[i * (grid.size() - 1) / (kMostPoints - 1)]);
  }
  return kept;
}

}  // namespace

Curve mean_and_spread(std::vector<Points> seeds) {
  for (auto& run : seeds) tidy(run);
  std::erase_if(seeds, [](const Points& run) { return run.empty(); });
  Curve curve;
  if (seeds.empty()) return curve;
  for (double x : thinned(common_grid(seeds))) {
    double sum = 0, low = value_at(seeds[0], x), high = low;
    for (const auto& run : seeds) {
      const double y = value_at(run, x);
      sum += y;
      low = std::min(low, y);
      high = std::max(high, y);
    }
    curve.x.push_back(x);
    curve.mean.push_back(sum / static_cast<double>(seeds.size()));
    curve.low.push_back(low);
    curve.high.push_back(high);
  }
  return curve;
}

}  // namespace fedvs::report
