// metrics.csv: one line per evaluation.
#pragma once
#include <limits>
#include <vector>

#include "fedvs/store/line_log.h"

namespace fedvs::run {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// A number that was not measured (NaN) is an empty cell.
struct MetricsRow {
  std::int64_t epoch = 0;
  std::int64_t round = 0;
  double virtual_seconds = kNotMeasured;
  double wall_seconds = kNotMeasured;
  double train_loss = kNotMeasured;
  double test_loss = kNotMeasured;
  double test_accuracy = kNotMeasured;
  double test_balanced_accuracy = kNotMeasured;
  double test_f1 = kNotMeasured;
  double test_auc = kNotMeasured;
  double validation_loss = kNotMeasured;
  double validation_accuracy = kNotMeasured;
  double majority = kNotMeasured;
  std::int64_t bytes_per_client = 0;
};

class MetricsLog {
 public:
  static Result<MetricsLog> create(const std::filesystem::path& path);  // with the header
  // As store::LineLog::resume, by the column "round".
  static Result<MetricsLog> resume(const std::filesystem::path& path, std::int64_t round);
  Status append(const MetricsRow& row);

 private:
  explicit MetricsLog(store::LineLog lines) : lines_(std::move(lines)) {}
  store::LineLog lines_;
};

// kCorrupt with the line's number for a line that is no row; a torn last line is left out.
Result<std::vector<MetricsRow>> read_metrics(const std::filesystem::path& path);

}  // namespace fedvs::run
