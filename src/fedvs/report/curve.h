// Several runs of one setting as one curve: their mean, and the range from the lowest to the
// highest.
#pragma once
#include <utility>
#include <vector>

#include "fedvs/report/report.h"

namespace fedvs::report {

using Points = std::vector<std::pair<double, double>>;  // (x, y), x not falling

// Runs are evaluated at x of their own, so each is read as the line that a chart would draw:
// straight between its evaluations. (Holding the last value instead would shift slow runs late by
// half an evaluation.) The curve has a point wherever some run has one, so it is the exact mean of
// the lines, from where the last run begins to where the first one ends: no point mixes fewer runs
// than another. Points with y = NaN and runs without points are left out; of points with equal x
// the last counts. Empty if nothing is common to all runs. At most kMostPoints points, evenly
// chosen, ends included.
Curve mean_and_spread(std::vector<Points> seeds);
inline constexpr std::size_t kMostPoints = 400;

}  // namespace fedvs::report
