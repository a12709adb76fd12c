// Text values in one order that does not depend on the order of rows: numerically when all are
// whole numbers ("2" before "10", and "1.0" is "1"), otherwise by bytes.
#pragma once
#include <string>
#include <vector>

#include "fedvs/data/csv_columns.h"

namespace fedvs::data {

struct Categories {
  std::vector<std::string> names;  // sorted, distinct
  std::vector<int> of_row;         // in [0, names.size()), or TextColumn::kMissing
};
Categories sort_categories(const TextColumn& column);

inline constexpr std::size_t kMostClasses = 1000;
// kBadData unless they can be classes: at least 2, at most half as many as rows and kMostClasses.
// `where` is the label's column, for the message.
Status check_classes(const Categories& labels, const std::string& where);

}  // namespace fedvs::data
