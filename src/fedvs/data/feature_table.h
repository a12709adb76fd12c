// Columns of CSV views turned into features: numbers as they are, categorical columns one-hot.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/categories.h"
#include "fedvs/data/csv_views.h"
#include "fedvs/data/dataset.h"

namespace fedvs::data {

struct FeatureTable {
  Table features;                  // NaN where missing
  std::vector<std::string> names;  // "column", or "column=value"
  std::vector<std::size_t> first;  // feature number where columns[i] begins; one more at the end
};
inline constexpr std::size_t kMostLevels = 4096;  // of one categorical column
// kBadData, before memory is taken, for a column of more levels or a table that memory cannot hold.
Result<FeatureTable> expand_features(const CsvViews& views, std::span<const FeatureColumn> columns);

// Missing values become the mean over the rows that have one. kBadData if none has.
Status fill_with_means(Table& features, const std::vector<std::string>& names);

}  // namespace fedvs::data
