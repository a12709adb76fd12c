// CSV, row by row: comma-separated, one header line, quotes ("" inside is one "), LF or CRLF.
#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::data {

class CsvReader {
 public:
  // Plain or gzip. kBadFile if unreadable, kBadData for an empty, doubled or missing header.
  static Result<CsvReader> open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& header() const { return header_; }
  std::size_t line() const { return row_line_; }  // where the last row began, from 1
  // header().size() cells, without spaces around them, valid until the next call; none at the end
  // of the file. kBadData for a ragged row or a quote that is never closed.
  Result<std::span<const std::string_view>> next();
  // At most so many cells are left in `columns` of the columns.
  std::size_t most_cells(std::size_t columns) const;
  void drop_text();  // gives its memory back; there are no rows after it

 private:
  CsvReader(std::string path, std::string bytes);
  Status read_header();
  Status scan_row();
  std::string_view scan_plain();
  Result<std::string_view> scan_quoted();
  bool at_line_end() const;
  void skip_line_end();
  Error error(std::size_t line, const std::string& problem) const;

  std::string path_, bytes_;
  std::size_t at_ = 0, line_ = 1, row_line_ = 1;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> unescaped_;  // cells that had "" inside
};

}  // namespace fedvs::data
