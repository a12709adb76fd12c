// A CSV file's columns, read as what they are used for.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/csv.h"
#include "fedvs/data/dataset.h"

namespace fedvs::data {

enum class ColumnUse : std::uint8_t {
  kSkip,
  kNumber,
  kText,
  kLabel,     // text that may never be missing
  kRequired,  // the same, but no label: row ids
};
constexpr bool is_text(ColumnUse use) { return use >= ColumnUse::kText; }
struct TextColumn {
  std::vector<std::string> values;  // distinct, in order of first appearance
  std::vector<int> codes;           // one per row; kMissing where the cell is empty
  static constexpr int kMissing = -1;
};
struct CsvColumns {
  std::size_t rows = 0;
  Table numbers;                  // the kNumber columns in file order; NaN where missing
  std::vector<TextColumn> texts;  // the columns of text in file order
};

// Reads all rows; use[c] is for column c. A missing cell is an empty one, or in a column of numbers
// NA, NaN or ?; it is kBadData, as are other text and infinities there, unless missing cells are
// allowed. Messages name file, line, column and remedy.
Result<CsvColumns> read_columns(CsvReader& reader, std::span<const ColumnUse> use,
                                bool allow_missing);

}  // namespace fedvs::data
