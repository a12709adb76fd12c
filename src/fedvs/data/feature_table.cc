#include "fedvs/data/feature_table.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "fedvs/base/human.h"
#include "fedvs/base/proc.h"

namespace fedvs::data {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

void write_one_hot(float* out, std::size_t count, int category) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool hit = category == static_cast<int>(i);
    out[i] = category == TextColumn::kMissing ? kNaN : hit ? 1.0f : 0.0f;
  }
}

Error too_many_levels(const std::string& file, const std::string& column, std::size_t levels,
                      std::size_t rows) {
  return {
      ErrorCode::kBadData,
      fmt::format("{}: the categorical column \"{}\" has {} different values in {} rows{} "
                  "One-hot makes a feature of each value, and at most {} are allowed: leave "
                  "the column out with data.ignore, group its values into fewer, or, if they "
                  "are numbers, take it out of data.categorical",
                  file, column, levels, rows, levels > rows / 2 ? ": an id?" : ".", kMostLevels)};
}

// The table itself, and the copy of it that is standardised.
Status check_memory(std::size_t rows, std::size_t features, const std::string& file) {
  const double needed =
      2.0 * sizeof(float) * static_cast<double>(rows) * static_cast<double>(features);
  const auto free = static_cast<double>(free_memory_bytes());
  if (free == 0 || needed <= free) return {};
  return Error{ErrorCode::kBadData,
               fmt::format("{}: {} rows of {} features take {} of memory, and {} are free; leave "
                           "columns out with data.ignore, group the values of categorical columns "
                           "into fewer, or use a machine with more memory",
                           file, rows, features, human_bytes(needed), human_bytes(free))};
}

}  // namespace

Result<FeatureTable> expand_features(const CsvViews& views,
                                     std::span<const FeatureColumn> columns) {
  FeatureTable table;
  std::vector<Categories> categories(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table.first.push_back(table.names.size());
    if (columns[i].categorical) {
      const std::size_t levels = views.text(columns[i]).values.size();
      if (levels > kMostLevels)
        return too_many_levels(views.path(columns[i].view), columns[i].name, levels, views.rows());
      categories[i] = sort_categories(views.text(columns[i]));
      for (const std::string& value : categories[i].names)
        table.names.push_back(columns[i].name + "=" + value);
    } else {
      table.names.push_back(columns[i].name);
    }
  }
  table.first.push_back(table.names.size());
  FEDVS_TRY_STATUS(check_memory(views.rows(), table.names.size(), views.path(0)));

  Table& out = table.features;
  out = {views.rows(), table.names.size(), std::vector<float>(views.rows() * table.names.size())};
  for (std::size_t r = 0; r < out.rows; ++r)
    for (std::size_t i = 0; i < columns.size(); ++i) {
      float* cell = out.row(r) + table.first[i];
      if (columns[i].categorical)
        write_one_hot(cell, categories[i].names.size(), categories[i].of_row[r]);
      else
        *cell = views.number(columns[i], r);
    }
  return table;
}

Status fill_with_means(Table& features, const std::vector<std::string>& names) {
  std::vector<double> sum(features.cols, 0);
  std::vector<std::size_t> present(features.cols, 0);
  for (std::size_t i = 0; i < features.values.size(); ++i) {
    if (std::isnan(features.values[i])) continue;
    sum[i % features.cols] += features.values[i];
    ++present[i % features.cols];
  }
  for (std::size_t c = 0; c < features.cols; ++c) {
    if (present[c] == features.rows) continue;
    if (present[c] == 0)
      return Error{ErrorCode::kBadData,
                   fmt::format("column \"{}\" has no value in any of the {} rows, so it has no "
                               "mean; leave it out with data.ignore",
                               names[c], features.rows)};
    const auto mean = static_cast<float>(sum[c] / static_cast<double>(present[c]));
    for (std::size_t r = 0; r < features.rows; ++r)
      if (std::isnan(features.row(r)[c])) features.row(r)[c] = mean;
  }
  return {};
}

}  // namespace fedvs::data
