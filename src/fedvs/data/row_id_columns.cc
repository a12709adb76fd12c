#include "fedvs/data/row_id_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "fedvs/data/categories.h"

namespace fedvs::data {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Rows are counted, lines are not: only an error needs one, and reads the file again for it.
std::string place_of(const std::string& path, std::size_t row) {
  auto reader = CsvReader::open(path);
  for (std::size_t r = 0; reader; ++r) {
    const auto cells = reader->next();
    if (!cells || cells->empty()) break;
    if (r == row) return fmt::format("line {}", reader->line());
  }
  return fmt::format("row {}", row + 1);
}

// A value that is seen for the first time gets the next code, so the codes of unique ids count up.
Status check_unique(const TextColumn& ids, const std::string& path, const std::string& column) {
  for (std::size_t r = 0; r < ids.codes.size(); ++r) {
    const auto first = static_cast<std::size_t>(ids.codes[r]);
    if (first == r) continue;
    return Error{
        ErrorCode::kBadData,
        fmt::format("{}, {} and {}, column \"{}\": both rows have the id \"{}\", but an id "
                    "stands for one row; remove one of them, or name another id column",
                    path, place_of(path, first), place_of(path, r), column, ids.values[first])};
  }
  return {};
}

Error bad_part(const std::string& path, const std::string& where, const std::string& problem) {
  return {ErrorCode::kBadData,
          fmt::format("{}{}, column \"{}\": {}", path, where, kPartColumn, problem)};
}

// Per row of the file, whether it is for testing.
Result<std::vector<bool>> read_parts(const TextColumn& column, const std::string& path) {
  std::vector<bool> test;
  for (std::size_t r = 0; r < column.codes.size(); ++r) {
    const std::string& part = column.values[static_cast<std::size_t>(column.codes[r])];
    if (part != "train" && part != "test")
      return bad_part(path, ", " + place_of(path, r),
                      fmt::format("\"{}\" is neither \"train\" nor \"test\"; correct it, or rename "
                                  "the column if it is a feature",
                                  part));
    test.push_back(part == "test");
  }
  if (column.values.size() == 1)
    return bad_part(path, "",
                    fmt::format("all {} rows are for \"{}\"; mark some as the other, or remove the "
                                "column and set data.test_share",
                                test.size(), column.values[0]));
  return test;
}

std::vector<std::size_t> sorted_order(const std::vector<std::string>& ids) {
  if (std::is_sorted(ids.begin(), ids.end())) return {};
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  return order;
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::size_t>& order) {
  if (order.empty() || values.empty()) return;
  std::vector<T> moved;
  moved.reserve(values.size());
  for (std::size_t from : order) moved.push_back(std::move(values[from]));
  values = std::move(moved);
}

}  // namespace

Result<RowIdColumns> RowIdColumns::find(CsvViews& views, const std::string& id_column,
                                        bool by_subject, const std::vector<std::string>& ignore) {
  RowIdColumns columns;
  const auto use = [&](const std::string& key, const std::string& name) -> Result<FeatureColumn> {
    FEDVS_TRY(const FeatureColumn column, views.find(key, name));
    views.use(column, ColumnUse::kRequired);
    columns.names_.push_back(name);
    return column;
  };
  const std::vector<std::string>& header = views.header(0);
  FEDVS_TRY(columns.id_, use("the row id", id_column.empty() ? header[0] : id_column));
  const auto reserved = [&](const char* name) {
    return columns.id_.name != name && contains(header, name) && !contains(ignore, name);
  };
  if (reserved(kPartColumn)) {
    FEDVS_TRY(columns.part_, use(kPartColumn, kPartColumn));
  }
  if (!by_subject) return columns;
  if (!reserved(kSubjectColumn))
    return Error{ErrorCode::kBadData,
                 fmt::format("{}: data.split = \"subject\", but there is no column \"{}\" to say "
                             "which rows are of one subject; add it, or use \"row\"",
                             views.path(0), kSubjectColumn)};
  FEDVS_TRY(columns.subject_, use(kSubjectColumn, kSubjectColumn));
  return columns;
}

Result<RowIdColumns::Sorted> RowIdColumns::read(const CsvViews& views) const {
  const std::string& path = views.path(0);
  const TextColumn& ids = views.text(id_);
  FEDVS_TRY_STATUS(check_unique(ids, path, id_.name));
  Sorted sorted{{.path = path, .ids = ids.values}, sorted_order(ids.values)};
  RowIds& rows = sorted.rows;
  if (!part_.name.empty()) {
    FEDVS_TRY(rows.test, read_parts(views.text(part_), path));
  }
  if (!subject_.name.empty()) {
    const Categories subjects = sort_categories(views.text(subject_));
    rows.subjects.assign(subjects.of_row.begin(), subjects.of_row.end());
  }
  reorder(rows.ids, sorted.order);
  reorder(rows.subjects, sorted.order);
  if (!rows.test.empty() && !sorted.order.empty()) {
    const std::vector<bool> test = rows.test;
    for (std::size_t i = 0; i < test.size(); ++i) rows.test[i] = test[sorted.order[i]];
  }
  return sorted;
}

}  // namespace fedvs::data
