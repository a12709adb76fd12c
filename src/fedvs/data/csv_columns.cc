#include "fedvs/data/csv_columns.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace fedvs::data {
namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
using Codes = std::unordered_map<std::string, int, TextHash, std::equal_to<>>;

// Half way between the largest float and what the next one would be.
constexpr double kRoundsToInfinity = 0x1.ffffffp127;

bool stands_for_missing(std::string_view cell) {
  for (std::string_view word : {"", "?", "NA", "N/A", "na", "nan", "NaN", "NAN", "null", "NULL"})
    if (cell == word) return true;
  return false;
}

// False if `cell` is not a number; the value may be infinite or NaN.
bool parse_number(std::string_view cell, double& value) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  const char* end = cell.data() + cell.size();
  const auto [stop, code] = std::from_chars(cell.data(), end, value);
  if (stop != end || cell.empty()) return false;
  if (code == std::errc::result_out_of_range)  // too large or too small: let strtod say which
    value = std::strtod(std::string(cell).c_str(), nullptr);
  return code == std::errc() || code == std::errc::result_out_of_range;
}

class ColumnReader {
 public:
  ColumnReader(CsvReader& reader, std::span<const ColumnUse> use, bool allow_missing)
      : reader_(reader), use_(use), allow_missing_(allow_missing) {
    for (ColumnUse column : use) {
      if (column == ColumnUse::kNumber) ++out_.numbers.cols;
      if (is_text(column)) out_.texts.emplace_back();
    }
    codes_.resize(out_.texts.size());
  }

  Result<CsvColumns> read() {
    out_.numbers.values.reserve(reader_.most_cells(out_.numbers.cols));
    for (;;) {
      FEDVS_TRY(const std::span<const std::string_view> cells, reader_.next());
      if (cells.empty()) break;
      FEDVS_TRY_STATUS(add_row(cells));
    }
    if (out_.rows == 0)
      return Error{ErrorCode::kBadData,
                   reader_.path() + ": there are no rows below the header; add some"};
    out_.numbers.rows = out_.rows;
    return std::move(out_);
  }

 private:
  Status add_row(std::span<const std::string_view> cells) {
    std::size_t text = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (use_[c] == ColumnUse::kSkip) continue;
      FEDVS_TRY_STATUS(use_[c] == ColumnUse::kNumber ? add_number(c, cells[c])
                                                     : add_text(c, text++, cells[c]));
    }
    ++out_.rows;
    return {};
  }

  Status add_number(std::size_t c, std::string_view cell) {
    double value = 0;
    const bool number = parse_number(cell, value);
    if (!number || std::isnan(value)) {
      if (!number && !stands_for_missing(cell)) return not_a_number(c, cell);
      if (!allow_missing_) return missing(c, cell);
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (std::abs(value) >= kRoundsToInfinity) {
      return error(c, fmt::format("\"{}\" is not a finite number (of 32 bits); correct it", cell));
    }
    out_.numbers.values.push_back(static_cast<float>(value));
    return {};
  }

  Status add_text(std::size_t c, std::size_t text, std::string_view cell) {
    TextColumn& column = out_.texts[text];
    if (cell.empty()) {
      if (use_[c] == ColumnUse::kLabel)
        return error(c, "the label is missing; fill it in or remove the row");
      if (use_[c] == ColumnUse::kRequired)
        return error(c, "the cell is empty, which it may not be; fill it in or remove the row");
      if (!allow_missing_) return missing(c, cell);
      column.codes.push_back(TextColumn::kMissing);
      return {};
    }
    auto found = codes_[text].find(cell);
    if (found == codes_[text].end()) {
      found = codes_[text].emplace(cell, static_cast<int>(column.values.size())).first;
      column.values.emplace_back(cell);
    }
    column.codes.push_back(found->second);
    return {};
  }

  Error not_a_number(std::size_t c, std::string_view cell) const {
    return error(c, fmt::format("\"{}\" is not a number; correct it, name the column in "
                                "data.categorical, or leave it out with data.ignore",
                                cell));
  }
  Error missing(std::size_t c, std::string_view cell) const {
    const std::string what =
        cell.empty() ? "the cell is empty" : fmt::format("\"{}\" is not a finite number", cell);
    return error(c, what + "; fill it in, or set data.missing = \"mean\"");
  }
  Error error(std::size_t c, const std::string& problem) const {
    return {ErrorCode::kBadData, fmt::format("{}, line {}, column \"{}\": {}", reader_.path(),
                                             reader_.line(), reader_.header()[c], problem)};
  }

  CsvReader& reader_;
  std::span<const ColumnUse> use_;
  bool allow_missing_;
  CsvColumns out_;
  std::vector<Codes> codes_;  // of each text column
};

}  // namespace

Result<CsvColumns> read_columns(CsvReader& reader, std::span<const ColumnUse> use,
                                bool allow_missing) {
  FEDVS_CHECK(use.size() == reader.header().size(), "one use per column");
  return ColumnReader(reader, use, allow_missing).read();
}

}  // namespace fedvs::data
