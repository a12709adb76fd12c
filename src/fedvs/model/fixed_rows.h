// A client's rows x^ = (x^1, ..., x^D, 1) as they are shared: the integers Round(2^l_x x^), 2 bytes
// each where all of them fit and 4 where not. What the client learns from is 2^-l_x times these.
// They are columns of a block, which clients of one process may have in common.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fedvs/data/dataset.h"
#include "fedvs/model/row_block.h"
#include "fedvs/quant/overflow_guard.h"

namespace fedvs::model {

class FixedRows {
 public:
  FixedRows() = default;
  // Powers are taken in float, as raise_to_powers does, and rounded half up. A few rows of floats
  // at a time: the peak is the rows themselves. |2^l_x x^| < 2^31, 0 <= l_x.
  FixedRows(const data::Table& features, int degree, int l_x);  // in a block of its own
  // The same in a block's columns from `first` on; it has as many rows, and is narrow only if these
  // fit.
  FixedRows(const data::Table& features, int degree, int l_x, std::shared_ptr<RowBlock> block,
            std::size_t first);
  static bool fit_narrow(const data::Table& features, int degree, int l_x);  // 2 bytes each

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  float unit() const { return unit_; }  // 2^-l_x
  bool is_narrow() const { return block_->is_narrow(); }
  const RowBlock& block() const { return *block_; }

  void integers(std::size_t row, std::span<std::int32_t> out) const;  // cols() of them
  // Rows [begin, end) one after the other.
  void integers(std::size_t begin, std::size_t end, std::span<std::int32_t> out) const;
  void add_to(quant::OverflowGuard& guard) const;

  // The first integer of row 0, see RowBlock; that of the next row is pitch() later.
  const std::int16_t* narrow() const { return block_->narrow() + first_; }
  const std::int32_t* wide() const { return block_->wide() + first_; }
  std::size_t pitch() const { return block_->cols(); }

 private:
  template <class Integer>
  void fill(const data::Table& features, int degree, int l_x, Integer* to);
  std::size_t rows_ = 0, cols_ = 0, first_ = 0;
  float unit_ = 1;
  std::shared_ptr<RowBlock> block_;
};

}  // namespace fedvs::model
