#include "fedvs/data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "fedvs/data/gzip.h"

namespace fedvs::data {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && (is_blank(text.back()) || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvReader::CsvReader(std::string path, std::string bytes)
    : path_(std::move(path)), bytes_(std::move(bytes)) {
  if (bytes_.starts_with("\xef\xbb\xbf")) at_ = 3;  // a byte order mark
}

Error CsvReader::error(std::size_t line, const std::string& problem) const {
  return {ErrorCode::kBadData, fmt::format("{}, line {}: {}", path_, line, problem)};
}

Result<CsvReader> CsvReader::open(const std::string& path) {
  FEDVS_TRY(std::string bytes, read_maybe_gzip(path));
  CsvReader reader(path, std::move(bytes));
  FEDVS_TRY_STATUS(reader.read_header());
  return reader;
}

Status CsvReader::read_header() {
  if (at_ >= bytes_.size())
    return error(1, "the file is empty; its first line must name the columns");
  FEDVS_TRY_STATUS(scan_row());
  header_.assign(cells_.begin(), cells_.end());
  if (header_.size() == 1 && header_[0].find_first_of(";\t") != std::string::npos)
    return error(1, "the columns are not separated by commas; save the file as comma-separated");
  std::unordered_set<std::string> seen;
  for (std::size_t c = 0; c < header_.size(); ++c) {
    if (header_[c].empty())
      return error(1, fmt::format("column {} has no name; give it one", c + 1));
    if (!seen.insert(header_[c]).second)
      return error(1, fmt::format("two columns are called \"{}\"; rename one", header_[c]));
  }
  return {};
}

Result<std::span<const std::string_view>> CsvReader::next() {
  while (header_.size() > 1 && at_ < bytes_.size() && at_line_end()) skip_line_end();
  if (at_ >= bytes_.size()) return std::span<const std::string_view>{};
  FEDVS_TRY_STATUS(scan_row());
  if (cells_.size() != header_.size())
    return error(row_line_,
                 fmt::format("{} cells, but the header names {} columns; make the row as long as "
                             "the header (quote cells that hold commas)",
                             cells_.size(), header_.size()));
  return std::span<const std::string_view>(cells_);
}

std::size_t CsvReader::most_cells(std::size_t columns) const {
  const std::string_view left = std::string_view(bytes_).substr(at_);
  const auto lines = static_cast<std::size_t>(std::ranges::count(left, '\n')) + 1;
  const std::size_t cells = left.size() + 1;  // however short they are, a comma parts them
  return lines > cells / std::max<std::size_t>(columns, 1) ? cells : lines * columns;
}

void CsvReader::drop_text() {
  cells_.clear();
  bytes_ = std::string();
  at_ = 0;
}

Status CsvReader::scan_row() {
  cells_.clear();
  unescaped_.clear();
  row_line_ = line_;
  for (;;) {
    while (at_ < bytes_.size() && is_blank(bytes_[at_])) ++at_;
    if (at_ < bytes_.size() && bytes_[at_] == '"') {
      FEDVS_TRY(const std::string_view cell, scan_quoted());
      cells_.push_back(cell);
    } else {
      cells_.push_back(scan_plain());
    }
    if (at_ >= bytes_.size() || bytes_[at_] != ',') break;
    ++at_;
  }
  skip_line_end();
  return {};
}

std::string_view CsvReader::scan_plain() {
  const std::size_t from = at_;
  while (at_ < bytes_.size() && bytes_[at_] != ',' && bytes_[at_] != '\n') ++at_;
  return trimmed(std::string_view(bytes_).substr(from, at_ - from));
}

Result<std::string_view> CsvReader::scan_quoted() {
  const std::string_view all = bytes_;
  const std::size_t from = ++at_, first_line = line_;
  bool doubled = false;
  for (;; ++at_) {
    if (at_ >= all.size())
      return error(first_line, "a quote is opened and never closed; close it, or double it (\"\")");
    if (all[at_] == '\n') ++line_;
    if (all[at_] != '"') continue;
    if (at_ + 1 >= all.size() || all[at_ + 1] != '"') break;
    doubled = true;
    ++at_;
  }
  std::string_view cell = all.substr(from, at_ - from);
  ++at_;
  while (at_ < all.size() && is_blank(all[at_])) ++at_;
  if (at_ < all.size() && all[at_] != ',' && !at_line_end())
    return error(line_, "there is text after a closing quote; double the quotes inside a cell");
  if (!doubled) return cell;
  std::string& text = unescaped_.emplace_back();
  for (std::size_t i = 0; i < cell.size(); ++i) {
    text.push_back(cell[i]);
    if (cell[i] == '"') ++i;
  }
  return std::string_view(text);
}

bool CsvReader::at_line_end() const {
  return bytes_[at_] == '\n' ||
         (bytes_[at_] == '\r' && (at_ + 1 == bytes_.size() || bytes_[at_ + 1] == '\n'));
}

void CsvReader::skip_line_end() {
  if (at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
  if (at_ < bytes_.size() && bytes_[at_] == '\n') {
    ++at_;
    ++line_;
  }
}

}  // namespace fedvs::data
