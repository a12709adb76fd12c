// Rows that a finished training is to score: a client's columns, and which rows they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "fedvs/base/suggest.h"
#include "fedvs/data/categories.h"
#include "fedvs/data/csv_rows.h"
#include "fedvs/data/party_rows.h"
#include "fedvs/data/row_id_columns.h"

namespace fedvs::data {
namespace {

// All rows are scored: neither the split nor what it goes by matters.
Result<RowIdColumns> find_ids(CsvViews& views, const std::string& id_column) {
  return RowIdColumns::find(views, id_column, /*by_subject=*/false, {kPartColumn});
}

// The label's column; "": there is none.
Result<std::string> label_name(const CsvViews& views, const LabelCsv& options,
                               const RowIdColumns& ids) {
  if (!options.label_column.empty()) return options.label_column;
  std::vector<std::string> others;
  for (const std::string& name : views.header(0)) {
    if (name != ids.names()[0] && name != kPartColumn && name != kSubjectColumn)
      others.push_back(name);
  }
  if (others.size() <= 1) return others.empty() ? std::string() : others[0];
  return Error{ErrorCode::kBadJob,
               fmt::format("{}: which of \"{}\" is the label? Name its column, or leave nothing "
                           "but the ids",
                           views.path(0), fmt::join(others, "\", \""))};
}

// By row of the file.
Result<std::vector<int>> known_classes(const Categories& found, const std::string& path,
                                       const std::vector<std::string>& classes) {
  std::vector<int> place;
  for (const std::string& name : found.names) {
    const auto known = std::ranges::find(classes, name);
    if (known == classes.end())
      return Error{ErrorCode::kBadData,
                   fmt::format("{}: label \"{}\" is none of the training's (\"{}\")", path, name,
                               fmt::join(classes, "\", \""))};
    place.push_back(static_cast<int>(known - classes.begin()));
  }
  std::vector<int> of_row;
  for (int category : found.of_row) of_row.push_back(place[static_cast<std::size_t>(category)]);
  return of_row;
}

}  // namespace

Result<PartyRows> read_new_party_csv(const std::string& path, const PartyCsv& options,
                                     const std::vector<std::string>& columns,
                                     std::span<const double> means) {
  FEDVS_TRY(const bool mean_for_missing, means_for_missing(options.missing));
  FEDVS_TRY(CsvViews views, CsvViews::open({path}));
  FEDVS_TRY(const RowIdColumns ids, find_ids(views, options.id_column));
  FEDVS_TRY(const auto needed, needed_columns(views, columns, options.categorical));
  views.use(needed);
  FEDVS_TRY_STATUS(views.read(mean_for_missing));
  FEDVS_TRY(RowIdColumns::Sorted sorted, ids.read(views));
  FEDVS_TRY(Table features, features_by_name(views, needed, columns, options.categorical, means));
  if (!sorted.order.empty()) {
    std::vector<std::size_t> all(features.cols);
    std::iota(all.begin(), all.end(), std::size_t{0});
    features = gather(features, all, sorted.order);
  }
  return PartyRows{std::move(sorted.rows), std::move(features), columns};
}

Result<NewLabels> read_new_label_csv(const std::string& path, const LabelCsv& options,
                                     const std::vector<std::string>& classes) {
  FEDVS_TRY(CsvViews views, CsvViews::open({path}));
  FEDVS_TRY(const RowIdColumns ids, find_ids(views, options.id_column));
  FEDVS_TRY(const std::string name, label_name(views, options, ids));
  FeatureColumn label;
  if (!name.empty()) {
    FEDVS_TRY(label, views.find("the label", name));
    views.use(label, ColumnUse::kLabel);
  }
  FEDVS_TRY_STATUS(views.read(false));
  FEDVS_TRY(RowIdColumns::Sorted sorted, ids.read(views));
  NewLabels rows{std::move(sorted.rows), {}};
  if (name.empty()) return rows;
  FEDVS_TRY(auto of_row, known_classes(sort_categories(views.text(label)), path, classes));
  rows.labels = of_row;
  for (std::size_t i = 0; i < sorted.order.size(); ++i) (*rows.labels)[i] = of_row[sorted.order[i]];
  return rows;
}

Prepared prepare_new_rows(PartyRows&& party, const Standardiser& fitted) {
  Prepared prepared;
  for (Table& part : prepared.features) part.cols = party.features.cols;
  Table& scored = prepared.features[static_cast<int>(Part::kTest)];
  scored = std::move(party.features);
  fitted.apply(scored);
  return prepared;
}

}  // namespace fedvs::data
