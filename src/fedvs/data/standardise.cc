#include <algorithm>
#include <cmath>

#include "fedvs/data/prepared.h"

namespace fedvs::data {

// One pass over far-apart memory; everything after it runs over neighbours.
Table gather(const Table& features, const std::vector<std::size_t>& columns,
             const std::vector<std::size_t>& rows) {
  Table out{rows.size(), columns.size(), std::vector<float>(rows.size() * columns.size())};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const float* from = features.row(rows[r]);
    float* to = out.row(r);
    for (std::size_t c = 0; c < columns.size(); ++c) to[c] = from[columns[c]];
  }
  return out;
}

namespace {

// Sums are over rows in their order, whatever the number of threads.
std::vector<double> column_means(const Table& table) {
  std::vector<double> mean(table.cols, 0);
  for (std::size_t r = 0; r < table.rows; ++r)
    for (std::size_t c = 0; c < table.cols; ++c) mean[c] += static_cast<double>(table.row(r)[c]);
  for (double& value : mean) value /= static_cast<double>(table.rows);
  return mean;
}

// Squares of differences, not of values: columns may lie around 1e10.
std::vector<double> column_spreads(const Table& table, const std::vector<double>& mean) {
  std::vector<double> spread(table.cols, 0);
  for (std::size_t r = 0; r < table.rows; ++r)
    for (std::size_t c = 0; c < table.cols; ++c) {
      const double difference = static_cast<double>(table.row(r)[c]) - mean[c];
      spread[c] += difference * difference;
    }
  for (double& value : spread) value = std::sqrt(value / static_cast<double>(table.rows));
  return spread;
}

// Rounding of the mean gives a constant column a tiny spread; this finds it exactly.
bool is_constant(const Table& table, std::size_t column) {
  for (std::size_t r = 1; r < table.rows; ++r)
    if (table.row(r)[column] != table.row(0)[column]) return false;
  return true;
}

}  // namespace

Standardiser Standardiser::fit(const Table& table, double clip) {
  FEDVS_CHECK(table.rows > 0 && clip > 0, "standardising needs rows and a clip above 0");
  Standardiser fitted;
  fitted.clip = clip;
  fitted.mean = column_means(table);
  fitted.spread = column_spreads(table, fitted.mean);
  for (std::size_t c = 0; c < table.cols; ++c)
    if (is_constant(table, c)) fitted.spread[c] = 0;
  return fitted;
}

void Standardiser::apply(Table& table) const {
  FEDVS_CHECK(table.cols == mean.size(), "a standardiser is for the columns it was fitted on");
  for (std::size_t r = 0; r < table.rows; ++r) {
    float* row = table.row(r);
    for (std::size_t c = 0; c < table.cols; ++c) {
      const double standard = (static_cast<double>(row[c]) - mean[c]) / spread[c];
      row[c] = spread[c] == 0 ? 0.0f : static_cast<float>(std::clamp(standard, -clip, clip));
    }
  }
}

Standardiser Standardiser::fit(const Dataset& set, const std::vector<std::size_t>& columns,
                               const std::vector<std::size_t>& rows, double clip) {
  return fit(gather(set.features, columns, rows), clip);
}

Table Standardiser::apply(const Dataset& set, const std::vector<std::size_t>& columns,
                          const std::vector<std::size_t>& rows) const {
  Table table = gather(set.features, columns, rows);
  apply(table);
  return table;
}

}  // namespace fedvs::data
