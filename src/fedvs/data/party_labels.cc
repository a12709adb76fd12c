// read_label_csv, and the split that labels and features share.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fedvs/data/catalog.h"
#include "fedvs/data/categories.h"
#include "fedvs/data/party_rows.h"
#include "fedvs/data/row_id_columns.h"

namespace fedvs::data {
namespace {

Result<std::string> only_other_column(const CsvViews& views, const RowIdColumns& row_ids) {
  std::vector<std::string> others;
  for (const std::string& name : views.header(0))
    if (std::ranges::find(row_ids.names(), name) == row_ids.names().end()) others.push_back(name);
  if (others.size() == 1) return others[0];
  if (others.empty())
    return Error{ErrorCode::kBadData,
                 fmt::format("{}: there is no column beside \"{}\"; add the labels", views.path(0),
                             fmt::join(row_ids.names(), "\", \""))};
  return Error{
      ErrorCode::kBadJob,
      fmt::format("{}: which of \"{}\" is the label? Name its column, or remove the others",
                  views.path(0), fmt::join(others, "\", \""))};
}

Result<FeatureColumn> find_label(CsvViews& views, const LabelCsv& options,
                                 const RowIdColumns& row_ids) {
  std::string name = options.label_column;
  if (name.empty()) {
    FEDVS_TRY(name, only_other_column(views, row_ids));
  }
  if (std::ranges::find(row_ids.names(), name) != row_ids.names().end())
    return Error{ErrorCode::kBadJob,
                 fmt::format("{}: column \"{}\" cannot be the label, for it says which rows these "
                             "are; name another",
                             views.path(0), name)};
  FEDVS_TRY(FeatureColumn label, views.find("the label", name));
  views.use(label, ColumnUse::kLabel);
  return label;
}

// A built-in set's names for its classes, which its files only number.
std::vector<std::string> names_of_classes(const PartyLabels& party, const DataJob& job) {
  const auto entry = find_entry(job.name);
  if (!entry || entry->class_names.size() != party.class_names.size()) return party.class_names;
  for (std::size_t c = 0; c < party.class_names.size(); ++c)
    if (party.class_names[c] != std::to_string(c)) return party.class_names;
  return entry->class_names;
}

}  // namespace

Result<PartyLabels> read_label_csv(const std::string& path, const LabelCsv& options) {
  FEDVS_TRY(CsvViews views, CsvViews::open({path}));
  FEDVS_TRY(const RowIdColumns row_ids,
            RowIdColumns::find(views, options.id_column, options.by_subject, {}));
  FEDVS_TRY(const FeatureColumn label, find_label(views, options, row_ids));
  FEDVS_TRY_STATUS(views.read(false));
  FEDVS_TRY(RowIdColumns::Sorted sorted, row_ids.read(views));

  Categories classes = sort_categories(views.text(label));
  FEDVS_TRY_STATUS(
      check_classes(classes, fmt::format("{}: label column \"{}\"", path, label.name)));
  PartyLabels party{std::move(sorted.rows), classes.of_row, std::move(classes.names)};
  for (std::size_t i = 0; i < sorted.order.size(); ++i)
    party.labels[i] = classes.of_row[sorted.order[i]];
  return party;
}

Result<Split> split_party(const RowIds& rows, const DataJob& job) {
  const double own_share = own_test_share(job);
  if (own_share == 0 && job.test_share == 0 && rows.test.empty())
    return Error{ErrorCode::kBadData,
                 fmt::format("{}: {} has published test rows, but no column \"{}\" says which they "
                             "are; add it (fedvs data export writes it), or set data.test_share",
                             rows.path, job.name, kPartColumn)};
  return split_rows(SplitSource{.name = rows.path,
                                .rows = rows.ids.size(),
                                .test = rows.test,
                                .test_share = own_share,
                                .subjects = rows.subjects},
                    job);
}

Result<PreparedLabels> labels_of_parts(const PartyLabels& party, const DataJob& job) {
  FEDVS_TRY(const Split split, split_party(party.rows, job));
  PreparedLabels prepared;
  for (int part = 0; part < kParts; ++part)
    for (std::size_t row : split.rows[part]) prepared.labels[part].push_back(party.labels[row]);
  prepared.classes = static_cast<int>(party.class_names.size());
  prepared.class_names = names_of_classes(party, job);
  return prepared;
}

}  // namespace fedvs::data
