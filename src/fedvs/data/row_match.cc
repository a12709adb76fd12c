#include "fedvs/data/row_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <unordered_set>

#include "fedvs/data/csv.h"

namespace fedvs::data {
namespace {

using Cells = std::span<const std::string_view>;

struct Column {
  std::size_t view, place;
};
// A column of one name, where it is.
struct Shared {
  std::string name;
  std::vector<Column> in;
  bool by_values = false;  // whether it tells rows apart is left to its values
};
struct Difference {
  const Shared* column;
  std::size_t other;  // its second place
  std::size_t lines[2];
  std::string values[2];
};

std::optional<std::size_t> place_of(const CsvReader& reader, const std::string& name) {
  const auto& header = reader.header();
  const auto found = std::ranges::find(header, name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

Shared find_all(const std::vector<CsvReader>& readers, const std::string& name) {
  Shared shared{.name = name, .in = {}};
  for (std::size_t view = 0; view < readers.size(); ++view) {
    if (const auto place = place_of(readers[view], name)) shared.in.push_back({view, *place});
  }
  return shared;
}

// The label, what looks like an id, and a first column that is the first everywhere.
std::vector<Shared> columns_to_watch(const std::vector<CsvReader>& readers,
                                     const std::string& label) {
  std::vector<Shared> watched;
  std::unordered_set<std::string> seen{label};
  if (Shared labels = find_all(readers, label); labels.in.size() > 1) watched.push_back(labels);
  for (const CsvReader& reader : readers) {
    for (const std::string& name : reader.header()) {
      if (looks_like_an_id(name) && seen.insert(name).second)
        watched.push_back(find_all(readers, name));
    }
  }
  const std::string& first = readers[0].header()[0];
  const auto leads = [&](const CsvReader& reader) { return reader.header()[0] == first; };
  if (readers.size() > 1 && seen.insert(first).second && std::ranges::all_of(readers, leads)) {
    watched.push_back(find_all(readers, first));
    watched.back().by_values = true;
  }
  return watched;
}

Result<std::vector<CsvReader>> open_all(const std::vector<std::string>& paths) {
  std::vector<CsvReader> readers;
  for (const std::string& path : paths) {
    FEDVS_TRY(CsvReader reader, CsvReader::open(path));
    readers.push_back(std::move(reader));
  }
  return readers;
}

// The next row of every file; none where one has ended: how many rows there are is another check.
Result<std::vector<Cells>> next_rows(std::vector<CsvReader>& readers) {
  std::vector<Cells> rows;
  for (CsvReader& reader : readers) {
    FEDVS_TRY(const Cells cells, reader.next());
    if (cells.empty()) return std::vector<Cells>{};
    rows.push_back(cells);
  }
  return rows;
}

std::optional<Difference> difference(const Shared& column, const std::vector<Cells>& rows,
                                     const std::vector<CsvReader>& readers) {
  const auto value = [&](const Column& at) { return rows[at.view][at.place]; };
  const Column& first = column.in[0];
  for (std::size_t i = 1; i < column.in.size(); ++i) {
    const Column& other = column.in[i];
    if (value(first) == value(other)) continue;
    return Difference{&column,
                      i,
                      {readers[first.view].line(), readers[other.view].line()},
                      {std::string(value(first)), std::string(value(other))}};
  }
  return std::nullopt;
}

// All values of a column; none if one occurs twice.
Result<std::unordered_set<std::string>> keys_of(const std::string& path, std::size_t place) {
  FEDVS_TRY(CsvReader reader, CsvReader::open(path));
  std::unordered_set<std::string> keys;
  for (;;) {
    FEDVS_TRY(const Cells cells, reader.next());
    if (cells.empty()) return keys;
    if (!keys.emplace(cells[place]).second) return std::unordered_set<std::string>{};
  }
}

// Whether its values say that this column is a key of both files.
Result<bool> is_key(const Difference& found, const std::vector<CsvReader>& readers) {
  const Column &a = found.column->in[0], &b = found.column->in[found.other];
  FEDVS_TRY(const auto left, keys_of(readers[a.view].path(), a.place));
  FEDVS_TRY(const auto right, keys_of(readers[b.view].path(), b.place));
  const auto common =
      std::ranges::count_if(left, [&](const auto& key) { return right.count(key); });
  return 2 * static_cast<std::size_t>(common) >= std::max<std::size_t>(1, left.size());
}

Error other_rows(const Difference& d, const std::vector<CsvReader>& readers) {
  const std::string& a = readers[d.column->in[0].view].path();
  const std::string& b = readers[d.column->in[d.other].view].path();
  return {ErrorCode::kBadData,
          fmt::format("{}, line {} has \"{}\" in column \"{}\", but {}, line {} has \"{}\": every "
                      "view must hold the same rows in the same order. Sort all files by that "
                      "column and keep the rows that all have; if it does not tell rows apart, "
                      "rename it in one of the files",
                      a, d.lines[0], d.values[0], d.column->name, b, d.lines[1], d.values[1])};
}

}  // namespace

bool looks_like_an_id(const std::string& column) {
  std::string name;
  for (const char c : column)
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* whole : {"id", "ids", "rowid", "uuid", "guid", "key", "index"})
    if (name == whole) return true;
  for (const char* end : {"_id", "-id", " id", ".id"})
    if (name.ends_with(end)) return true;
  const std::size_t n = column.size();  // customerId, customerID
  return n > 2 && column[n - 2] == 'I' && name[n - 1] == 'd' &&
         std::islower(static_cast<unsigned char>(column[n - 3]));
}

Result<std::optional<Digest>> match_rows(const std::vector<std::string>& paths,
                                         const std::string& label) {
  FEDVS_TRY(auto readers, open_all(paths));
  const std::vector<Shared> watched = columns_to_watch(readers, label);
  if (watched.empty()) return std::optional<Digest>();
  const auto id = std::ranges::find_if(
      watched, [](const Shared& column) { return looks_like_an_id(column.name); });
  Hasher ids;
  std::optional<Difference> doubtful;  // in the column whose values decide
  for (;;) {
    FEDVS_TRY(const auto rows, next_rows(readers));
    if (rows.empty()) break;
    for (const Shared& column : watched) {
      auto found = difference(column, rows, readers);
      if (found && !column.by_values) return other_rows(*found, readers);
      if (found && !doubtful) doubtful = std::move(found);
    }
    if (id == watched.end()) continue;
    const std::string_view text = rows[id->in[0].view][id->in[0].place];
    ids.add_u64(text.size()).add(text);
  }
  if (doubtful) {
    FEDVS_TRY(const bool key, is_key(*doubtful, readers));
    if (key) return other_rows(*doubtful, readers);
  }
  return id == watched.end() ? std::optional<Digest>() : ids.finish();
}

}  // namespace fedvs::data
