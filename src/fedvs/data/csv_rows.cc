#include "fedvs/data/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "fedvs/data/clients.h"
#include "fedvs/data/csv_dataset.h"
#include "fedvs/data/feature_table.h"
#include "fedvs/data/row_match.h"

namespace fedvs::data {
namespace {

// The file's column that feature `name` comes from: itself, or what is before "=value".
std::string column_of(const std::string& name, const std::vector<std::string>& categorical) {
  for (const std::string& column : categorical)
    if (name.starts_with(column + "=")) return column;
  return name;
}

// Those of the names that the file has.
std::vector<std::string> names_here(const CsvViews& views, const std::vector<std::string>& names) {
  std::vector<std::string> here;
  for (std::size_t view = 0; view < views.count(); ++view) {
    for (const std::string& name : names) {
      const auto& header = views.header(view);
      if (std::find(header.begin(), header.end(), name) != header.end()) here.push_back(name);
    }
  }
  return here;
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

Result<std::vector<FeatureColumn>> needed_columns(const CsvViews& views,
                                                  const std::vector<std::string>& columns,
                                                  const std::vector<std::string>& categorical) {
  FEDVS_TRY(const std::vector<FeatureColumn> all,
            views.features({}, names_here(views, categorical)));
  std::unordered_map<std::string, std::size_t> place;
  std::vector<std::string> known;
  for (const FeatureColumn& column : all) {
    place.emplace(column.name, known.size());
    known.push_back(column.name);
  }
  std::vector<FeatureColumn> needed;
  std::vector<bool> taken(all.size(), false);
  for (const std::string& name : columns) {
    const std::string column = column_of(name, categorical);
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

Result<Table> features_by_name(const CsvViews& views, const std::vector<FeatureColumn>& needed,
                               const std::vector<std::string>& columns,
                               const std::vector<std::string>& categorical,
                               std::span<const double> means) {
  FEDVS_TRY(const FeatureTable table, expand_features(views, needed));
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t f = 0; f < table.names.size(); ++f) place.emplace(table.names[f], f);
  Table rows{views.rows(), columns.size(), std::vector<float>(views.rows() * columns.size())};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto found = place.find(columns[c]);
    const std::vector<int>* codes =
        found == place.end() ? &codes_of(columns[c], views, needed, categorical) : nullptr;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const bool missing = codes ? (*codes)[r] == TextColumn::kMissing
                                 : std::isnan(table.features.row(r)[found->second]);
      const float value = codes ? 0.0f : table.features.row(r)[found->second];
      rows.row(r)[c] = missing ? static_cast<float>(means[c]) : value;
    }
  }
  return rows;
}

Result<Table> read_csv_rows(const CsvSource& source, const std::vector<std::string>& columns,
                            std::span<const double> means) {
  FEDVS_CHECK(!source.mean_for_missing || means.size() == columns.size(), "one mean per column");
  if (source.paths.size() > 1) {
    FEDVS_TRY([[maybe_unused]] const auto ids, match_rows(source.paths, source.label));
  }
  FEDVS_TRY(CsvViews views, CsvViews::open(source.paths));
  FEDVS_TRY(const auto needed, needed_columns(views, columns, source.categorical));
  views.use(needed);
  FEDVS_TRY_STATUS(views.read(source.mean_for_missing));
  return features_by_name(views, needed, columns, source.categorical, means);
}

}  // namespace fedvs::data
