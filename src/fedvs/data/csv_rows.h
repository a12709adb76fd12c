// New rows for a trained model: its features found by name in opened files.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "fedvs/data/csv_views.h"

namespace fedvs::data {

// The files' columns that the model's features `columns` come from ("column=value" is one-hot of a
// categorical column), to be used. kBadData, with the nearest name, for one that is not there.
Result<std::vector<FeatureColumn>> needed_columns(const CsvViews& views,
                                                  const std::vector<std::string>& columns,
                                                  const std::vector<std::string>& categorical);
// After views.read(): one feature per name of `columns`. Missing cells become means[c].
Result<Table> features_by_name(const CsvViews& views, const std::vector<FeatureColumn>& needed,
                               const std::vector<std::string>& columns,
                               const std::vector<std::string>& categorical,
                               std::span<const double> means);

}  // namespace fedvs::data
