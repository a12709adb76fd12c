#include "fedvs/data/feature_table.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace fedvs::data {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

void write_one_hot(float* out, std::size_t count, int category) {
  for (std::size_t i = 0; i < count; ++i) {
    const bool hit = category == static_cast<int>(i);
    out[i] = category == TextColumn::kMissing ? kNaN : hit ? 1.0f : 0.0f;
  }
}

}  // namespace

FeatureTable expand_features(const CsvViews& views, std::span<const FeatureColumn> columns) {
  FeatureTable table;
  std::vector<Categories> categories(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    table.first.push_back(table.names.size());
    if (columns[i].categorical) {
      categories[i] = sort_categories(views.text(columns[i]));
      for (const std::string& value : categories[i].names)
        table.names.push_back(columns[i].name + "=" + value);
    } else {
      table.names.push_back(columns[i].name);
    }
  }
  table.first.push_back(table.names.size());

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
