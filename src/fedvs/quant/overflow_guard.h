// No sum may wrap: client n keeps  max_i ||x_i|| * ||w_j|| <= (M-1) / (2N)  on its own integers,
// for every column j of W_n over all rows i it has shared (Cauchy-Schwarz bounds every inner
// product). A column that breaks it is not made to fit: scaling it down would tell whoever chose
// the gradients how long the client's rows are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "fedvs/field/ring.h"
#include "fedvs/field/wide.h"

namespace fedvs::quant {

class OverflowGuard {
 public:
  OverflowGuard(const field::Ring& ring, int parties);
  // Rows that have been shared: row-major, `cols` wide. Norms only grow.
  void add_rows(std::span<const std::int32_t> rows, std::size_t cols);
  void add_rows(std::span<const std::int16_t> rows, std::size_t cols);
  // Whether a column w_j of quantised weights keeps the bound. Exact (128-bit integers).
  bool allows(std::span<const std::int32_t> column) const;
  // The narrowest ring in which this many clients could share the column; empty: none.
  std::string ring_for(std::span<const std::int32_t> column) const;
  std::uint64_t max_row_norm_squared() const;  // 2^64 - 1 if it is more

 private:
  void lengthen(field::u128 row_norm_squared);
  int parties_;
  field::u128 limit_;  // of (row norm * column norm)^2
  field::u128 row_norm_squared_ = 0;
  field::u128 room_ = ~field::u128{0};  // of column norm^2: limit_ / row_norm_squared_
};

}  // namespace fedvs::quant
