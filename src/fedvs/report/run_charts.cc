#include "fedvs/report/run_charts.h"

#include <algorithm>
#include <utility>

namespace fedvs::report {
namespace {

using Row = run::MetricsRow;

struct MeasuredAxis {
  Axis axis;
  double (*x)(const Row&);
};

const std::vector<MeasuredAxis>& measured_axes() {
  static const std::vector<MeasuredAxis> axes = {
      {{"time", "virtual time, s"}, [](const Row& row) { return row.virtual_seconds; }},
      {{"rounds", "rounds"}, [](const Row& row) { return static_cast<double>(row.round); }},
      {{"bytes", "MB per client"},
       [](const Row& row) { return static_cast<double>(row.bytes_per_client) / 1e6; }},
  };
  return axes;
}

using NamedMeasures = std::vector<std::pair<std::string, Measure>>;

std::vector<Series> measured_series(const Metrics& metrics, const NamedMeasures& measures) {
  std::vector<Series> all;
  for (const auto& [name, measure] : measures) {
    Series series = series_of(name, {metrics}, measure);
    if (!series.curves.empty()) all.push_back(std::move(series));
  }
  return all;
}

}  // namespace

std::vector<Axis> run_axes() {
  std::vector<Axis> axes;
  for (const auto& measured : measured_axes()) axes.push_back(measured.axis);
  return axes;
}

double best_test_accuracy(const Metrics& metrics) {
  return std::ranges::max(metrics, {}, &Row::test_accuracy).test_accuracy;
}

Series series_of(const std::string& name, const std::vector<Metrics>& seeds,
                 const Measure& measure) {
  Series series{.name = name, .curves = {}};
  for (const auto& [axis, x] : measured_axes()) {
    std::vector<Points> runs;
    for (const auto& seed : seeds) {
      Points& run = runs.emplace_back();
      for (const auto& row : seed) run.emplace_back(x(row), measure(row));
    }
    Curve curve = mean_and_spread(std::move(runs));
    if (!curve.x.empty()) series.curves.emplace(axis.key, std::move(curve));
  }
  return series;
}

Chart accuracy_chart(const Metrics& metrics) {
  return {
      .id = "accuracy",
      .title = "Accuracy",
      .y = "accuracy, %",
      .note = "",
      .axes = run_axes(),
      .series = measured_series(
          metrics, {{"test", [](const Row& row) { return 100 * row.test_accuracy; }},
                    {"validation", [](const Row& row) { return 100 * row.validation_accuracy; }}})};
}

Chart loss_chart(const Metrics& metrics) {
  return {.id = "loss",
          .title = "Loss",
          .y = "cross-entropy",
          .note = "",
          .axes = run_axes(),
          .series = measured_series(
              metrics, {{"test", [](const Row& row) { return row.test_loss; }},
                        {"validation", [](const Row& row) { return row.validation_loss; }},
                        {"training", [](const Row& row) { return row.train_loss; }}})};
}

}  // namespace fedvs::report
