#include "tests/report/sample_comparison.h"

#include <fmt/format.h>

#include <cmath>

#include "fedvs/report/curve.h"
#include "fedvs/report/run_charts.h"

namespace fedvs::report {
namespace {

struct Method {
  const char* name;
  double seconds;  // per epoch
  double final_accuracy;
};
constexpr Method kMethods[] = {{"fedvs", 7, 0},   {"fedvs-paper", 31, -0.1}, {"wait", 66, 0.2},
                               {"ignore", 9, -3}, {"vafl", 8, -2},           {"wait-dp", 66, -9}};
constexpr int kSeeds = 5, kEpochs = 30;

run::MetricsRow evaluation(const Method& method, double best, int seed, int epoch) {
  const double wobble = std::sin(1.7 * epoch + 2.1 * seed) * (0.4 + 3 * std::exp(-epoch / 8.0));
  run::MetricsRow row;
  row.round = 19 * epoch;
  row.virtual_seconds = method.seconds * epoch * (1 + 0.03 * seed);
  row.bytes_per_client = 700000L * epoch;
  row.test_accuracy = (best + method.final_accuracy - 34 * std::exp(-epoch / 6.0) + wobble) / 100;
  return row;
}

Series series(const Method& method, double best) {
  std::vector<Metrics> seeds;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Metrics& metrics = seeds.emplace_back();
    for (int epoch = 1; epoch <= kEpochs; ++epoch) {
      metrics.push_back(evaluation(method, best, seed, epoch));
    }
  }
  return series_of(method.name, seeds,
                   [](const run::MetricsRow& row) { return 100 * row.test_accuracy; });
}

Table end_table(const Chart& chart) {
  Table table{.caption = "Mean of 5 seeds",
              .columns = {"method", "accuracy, %", "time, s", "MB per client"},
              .rows = {}};
  for (const auto& one : chart.series) {
    const auto& time = one.curves.at("time");
    table.rows.push_back({one.name, fmt::format("{:.2f}", time.mean.back()),
                          fmt::format("{:.1f}", time.x.back()),
                          fmt::format("{:.1f}", one.curves.at("bytes").x.back())});
  }
  return table;
}

Section section(const std::string& data, double best) {
  Chart chart{.id = "fig2-" + data,
              .title = "Figure 2: " + data,
              .y = "test accuracy, %",
              .note = "Mean of 5 seeds; the shade reaches from the lowest to the highest.",
              .axes = run_axes(),
              .series = {}};
  for (const auto& method : kMethods) chart.series.push_back(series(method, best));
  return {.title = data,
          .text = {"All methods on the same delays, central model and seeds."},
          .charts = {chart},
          .tables = {end_table(chart)},
          .timelines = {}};
}

}  // namespace

Report sample_comparison() {
  return {.title = "Six methods on three data sets",
          .summary = "fedvs gets there 9.4 times sooner than waiting for everybody.",
          .kind = Kind::kComparison,
          .made = "2026-11-16T02:20:00Z",
          .version = "fedvs 0.1.0",
          .commit = "0123abc",
          .machine = "2 cores, sample processor",
          .sections = {section("parkinson", 84), section("caltech7", 92), section("emnist", 81)},
          .settings = {{"fedvs.toml", std::string("# ") + kHostile + "\nmethod = \"fedvs\"\n"}}};
}

Report sample_oddities() {
  Chart lonely{.id = "lonely",
               .title = "One evaluation",
               .y = "accuracy, %",
               .note = "",
               .axes = run_axes(),
               .series = {{"K = 1", {{"time", {{0}, {50}, {50}, {50}}}}},
                          {"K = 2", {{"rounds", {{0, 5}, {50, NAN}, {50, NAN}, {51, NAN}}}}}}};
  Chart empty{
      .id = "empty", .title = "None", .y = "%", .note = "", .axes = {{"time", "s"}}, .series = {}};
  Timeline left_out{
      "Left out", 3, {{1, 0, 0.5, {1, 2}, {3}, {0, 1, -1}}, {2, 0.5, 2, {2}, {}, {}}}};
  Section section{.title = "Odd",
                  .text = {},
                  .charts = {lonely, empty},
                  .tables = {{"", {"a", "b"}, {}}},
                  .timelines = {left_out, {"No rounds", 2, {}}}};
  Report report;
  report.title = "Oddities";
  report.sections = {section};
  return report;
}

}  // namespace fedvs::report
