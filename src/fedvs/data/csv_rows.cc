// read_csv_rows: new rows for a model that was trained on a data set's columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "fedvs/data/clients.h"
#include "fedvs/data/csv_dataset.h"
#include "fedvs/data/csv_views.h"
#include "fedvs/data/feature_table.h"

namespace fedvs::data {
namespace {

// The file's column that feature `name` comes from: itself, or what is before "=value".
std::string column_of(const std::string& name, const std::vector<std::string>& categorical) {
  for (const std::string& column : categorical)
    if (name.starts_with(column + "=")) return column;
  return name;
}

Result<std::vector<FeatureColumn>> needed_columns(const CsvViews& views, const CsvSource& source,
                                                  const std::vector<std::string>& columns) {
  FEDVS_TRY(const std::vector<FeatureColumn> all, views.features({}, source.categorical));
  std::unordered_map<std::string, std::size_t> place;
  std::vector<std::string> known;
  for (const FeatureColumn& column : all) {
    place.emplace(column.name, known.size());
    known.push_back(column.name);
  }
  std::vector<FeatureColumn> needed;
  std::vector<bool> taken(all.size(), false);
  for (const std::string& name : columns) {
    const std::string column = column_of(name, source.categorical);
    const auto found = place.find(column);
    if (found == place.end())
      return unknown_name(ErrorCode::kBadData,
                          fmt::format("{}: the model needs a column, but", views.path(0)), column,
                          known);
    if (!taken[found->second]) needed.push_back(all[found->second]);
    taken[found->second] = true;
  }
  return needed;
}

// The rows' codes in the column of a category, "column=value", that none of them has.
const std::vector<int>& codes_of(const std::string& name, const CsvViews& views,
                                 const std::vector<FeatureColumn>& needed,
                                 const std::vector<std::string>& categorical) {
  const std::string column = column_of(name, categorical);
  const auto found = std::find_if(needed.begin(), needed.end(),
                                  [&](const FeatureColumn& one) { return one.name == column; });
  FEDVS_CHECK(found != needed.end() && found->categorical, "only a category can be absent");
  return views.text(*found).codes;
}

}  // namespace

Result<Table> read_csv_rows(const CsvSource& source, const std::vector<std::string>& columns,
                            std::span<const double> means) {
  FEDVS_CHECK(!source.mean_for_missing || means.size() == columns.size(), "one mean per column");
  FEDVS_TRY(CsvViews views, CsvViews::open(source.paths));
  FEDVS_TRY(const std::vector<FeatureColumn> needed, needed_columns(views, source, columns));
  views.use(needed);
  FEDVS_TRY_STATUS(views.read(source.mean_for_missing));

  const FeatureTable table = expand_features(views, needed);
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t f = 0; f < table.names.size(); ++f) place.emplace(table.names[f], f);
  Table rows{views.rows(), columns.size(), std::vector<float>(views.rows() * columns.size())};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto found = place.find(columns[c]);
    const std::vector<int>* codes =
        found == place.end() ? &codes_of(columns[c], views, needed, source.categorical) : nullptr;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const bool missing = codes ? (*codes)[r] == TextColumn::kMissing
                                 : std::isnan(table.features.row(r)[found->second]);
      const float value = codes ? 0.0f : table.features.row(r)[found->second];
      rows.row(r)[c] = missing ? static_cast<float>(means[c]) : value;
    }
  }
  return rows;
}

}  // namespace fedvs::data
