// What the runs of a line came to: accuracies at the end, and the virtual time to reach one.
// A run is read as the line that a chart draws: straight between its evaluations.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/experiments/folder.h"
#include "fedvs/experiments/origin.h"
#include "fedvs/report/run_charts.h"

namespace fedvs::experiments {

using report::Metrics;

struct Outcome {  // of a Line
  std::string name;
  std::vector<Metrics> seeds;  // of the runs that have ended, each evaluated at least once
  std::size_t wanted = 0;      // runs of the line
  std::vector<int> blocks;     // K of each, where there is one
  std::string first_run;       // a name; empty if none has ended
  Origins origins;             // of the seeds
};

// Runs that have not ended are left out. kBadFile, kCorrupt.
Result<Outcome> read_outcome(const Folder& folder, const Line& line);
Result<std::vector<Outcome>> read_outcomes(const Folder& folder, const Panel& panel);
const Outcome* find(const std::vector<Outcome>& outcomes, const std::string& name);

struct Spread {  // over seeds; NaN without any
  double mean, low, high;
};
Spread end_accuracy(const Outcome& outcome);
Spread best_accuracy(const Outcome& outcome);  // each run's highest
Spread end_seconds(const Outcome& outcome);    // virtual
Spread end_megabytes(const Outcome& outcome);  // per client
// The highest mean of any method's best accuracies: what 90, 95 and 99 % are taken of.
double best_accuracy(const std::vector<Outcome>& outcomes);

// Virtual seconds until a run first reaches `accuracy`; at its first evaluation at the earliest.
std::optional<double> seconds_to(const Metrics& run, double accuracy);

struct Reached {
  double seconds = 0;     // mean over the seeds that got there
  std::size_t seeds = 0;  // how many did
};
Reached seconds_to(const Outcome& outcome, double accuracy);

struct SpeedUp {
  double times;  // the reference's mean seconds over ours
  double share;  // at which share of the best accuracy
};
// At the largest of 99, 95 and 90 % of `best` that every seed of both reaches.
std::optional<SpeedUp> speed_up(const Outcome& ours, const Outcome& reference, double best);

inline constexpr double kShares[] = {0.90, 0.95, 0.99};

}  // namespace fedvs::experiments
