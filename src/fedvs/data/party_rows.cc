#include "fedvs/data/party_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fedvs/data/csv_dataset.h"
#include "fedvs/data/feature_table.h"
#include "fedvs/data/row_id_columns.h"

namespace fedvs::data {
namespace {

std::vector<std::size_t> all_columns(std::size_t count) {
  std::vector<std::size_t> columns(count);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

// Those of the names that the file has.
std::vector<std::string> names_in(const CsvViews& views, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (std::ranges::find(views.header(0), name) != views.header(0).end()) found.push_back(name);
  return found;
}

// All columns but those that say which rows these are and those left out.
Result<std::vector<FeatureColumn>> feature_columns(const CsvViews& views, const PartyCsv& options,
                                                   const RowIdColumns& row_ids) {
  std::vector<std::string> hidden = row_ids.names();
  for (const std::string& name : options.ignore) {
    if (!options.of_all_parties) FEDVS_TRY_STATUS(views.require("data.ignore", name));
    hidden.push_back(name);
  }
  FEDVS_TRY(std::vector<FeatureColumn> features,
            views.features(hidden, options.of_all_parties ? names_in(views, options.categorical)
                                                          : options.categorical));
  if (features.empty())
    return Error{ErrorCode::kBadData,
                 fmt::format("{}: of its {} columns none is a feature (\"{}\" is the row id); add "
                             "the columns that this party holds",
                             views.path(0), views.header(0).size(), row_ids.names()[0])};
  return features;
}

}  // namespace

PartyCsv party_csv(const DataJob& job) {
  return {.categorical = job.categorical,
          .ignore = job.ignore,
          .missing = job.missing,
          .by_subject = job.split == "subject",
          .of_all_parties = true};
}

Result<PartyRows> read_party_csv(const std::string& path, const PartyCsv& options) {
  FEDVS_TRY(const bool mean_for_missing, means_for_missing(options.missing));
  FEDVS_TRY(CsvViews views, CsvViews::open({path}));
  FEDVS_TRY(const RowIdColumns row_ids,
            RowIdColumns::find(views, options.id_column, options.by_subject, options.ignore));
  FEDVS_TRY(const std::vector<FeatureColumn> features, feature_columns(views, options, row_ids));
  views.use(features);
  FEDVS_TRY_STATUS(views.read(mean_for_missing));
  FEDVS_TRY(RowIdColumns::Sorted sorted, row_ids.read(views));

  FEDVS_TRY(FeatureTable table, expand_features(views, features));
  if (!sorted.order.empty())
    table.features = gather(table.features, all_columns(table.features.cols), sorted.order);
  // After sorting: a mean is a sum in the order of rows, and lines may be in any order.
  if (const Status filled = fill_with_means(table.features, table.names); !filled)
    return Error{filled.error().code, path + ": " + filled.error().message};
  return PartyRows{std::move(sorted.rows), std::move(table.features), std::move(table.names)};
}

Result<Prepared> prepare_party(PartyRows&& party, const DataJob& job, Standardiser* fitted) {
  FEDVS_TRY_STATUS(check_clip(job));
  FEDVS_TRY(const Split split, split_party(party.rows, job));
  const Table features = std::move(party.features);
  return standardised_parts(features, all_columns(features.cols), split, job.clip, *fitted);
}

}  // namespace fedvs::data
