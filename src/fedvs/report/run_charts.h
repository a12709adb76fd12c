// Charts of one run's metrics.csv.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "fedvs/report/curve.h"
#include "fedvs/report/report.h"
#include "fedvs/run/metrics_log.h"

namespace fedvs::report {

// The x axes of every chart of runs: virtual time, rounds, MB per client.
std::vector<Axis> run_axes();

using Metrics = std::vector<run::MetricsRow>;
using Measure = std::function<double(const run::MetricsRow&)>;

double best_test_accuracy(const Metrics& metrics);  // of a run that was evaluated

// One series of one or several runs (seeds) of a setting, over all of run_axes().
Series series_of(const std::string& name, const std::vector<Metrics>& seeds,
                 const Measure& measure);

// Test (and validation) accuracy; training, test (and validation) loss. Without series that were
// never measured.
Chart accuracy_chart(const Metrics& metrics);
Chart loss_chart(const Metrics& metrics);

}  // namespace fedvs::report
