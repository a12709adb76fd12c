#include "fedvs/model/fixed_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fedvs/base/check.h"
#include "fedvs/model/float_kernels.h"
#include "fedvs/model/polynomial_network.h"

namespace fedvs::model {
namespace {

constexpr std::size_t kBlock = 2048;  // floats at a time: they stay in the first cache

std::size_t inputs(const data::Table& features, int degree) {
  FEDVS_CHECK(degree >= 1, "a polynomial network has a degree");
  return features.cols * static_cast<std::size_t>(degree) + 1;
}

// Round(scale x^) of rows [begin, end), and what FloatKernels::round_half_up returns for them.
class Rounding {
 public:
  Rounding(const data::Table& features, int degree, int l_x, std::size_t rows)
      : features_(features),
        degree_(degree),
        cols_(inputs(features, degree)),
        scale_(std::ldexp(1.0f, l_x)),
        powers_(rows * cols_),
        rounded_(rows * cols_) {
    FEDVS_CHECK(l_x >= 0, "a scale is not below 1");
  }
  std::int32_t round(std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      raise_to_powers({features_.row(r), features_.cols}, degree_,
                      std::span(powers_).subspan((r - begin) * cols_, cols_));
    }
    const auto most =
        float_kernels(field::active_kernel())
            .round_half_up(powers_.data(), scale_, rounded_.data(), (end - begin) * cols_);
    FEDVS_CHECK(most >= 0, "a fixed-point value must fit 32 bits");
    return most;
  }
  const std::int32_t* row(std::size_t r) const { return rounded_.data() + r * cols_; }

 private:
  const data::Table& features_;
  int degree_;
  std::size_t cols_;
  float scale_;
  std::vector<float> powers_;
  std::vector<std::int32_t> rounded_;
};

// Two rows: the least and the largest of every column.
data::Table extremes(const data::Table& features) {
  data::Table found{2, features.cols, {}};
  for (int copy = 0; copy < 2; ++copy) {
    found.values.insert(found.values.end(), features.row(0), features.row(1));
  }
  float* const least = found.row(0);
  float* const most = found.row(1);
  for (std::size_t r = 1; r < features.rows; ++r) {
    const float* const row = features.row(r);
    for (std::size_t c = 0; c < features.cols; ++c) {
      least[c] = row[c] < least[c] ? row[c] : least[c];
      most[c] = row[c] > most[c] ? row[c] : most[c];
    }
  }
  return found;
}

}  // namespace

// A power is furthest from zero where its column is.
bool FixedRows::fit_narrow(const data::Table& features, int degree, int l_x) {
  if (features.rows == 0) return true;
  const data::Table ends = extremes(features);
  return Rounding(ends, degree, l_x, 2).round(0, 2) <= std::numeric_limits<std::int16_t>::max();
}

FixedRows::FixedRows(const data::Table& features, int degree, int l_x)
    : FixedRows(features, degree, l_x,
                std::make_shared<RowBlock>(features.rows, inputs(features, degree),
                                           fit_narrow(features, degree, l_x)),
                0) {}

FixedRows::FixedRows(const data::Table& features, int degree, int l_x,
                     std::shared_ptr<RowBlock> block, std::size_t first)
    : rows_(features.rows),
      cols_(inputs(features, degree)),
      first_(first),
      unit_(std::ldexp(1.0f, -l_x)),
      block_(std::move(block)) {
  FEDVS_CHECK(rows_ == block_->rows() && first + cols_ <= block_->cols(), "room in the block");
  if (is_narrow()) {
    fill(features, degree, l_x, block_->narrow() + first);
  } else {
    fill(features, degree, l_x, block_->wide() + first);
  }
}

template <class Integer>
void FixedRows::fill(const data::Table& features, int degree, int l_x, Integer* to) {
  const std::size_t some = kBlock / cols_ + 1;
  Rounding rounding(features, degree, l_x, some);
  for (std::size_t first = 0; first < rows_; first += some) {
    const std::size_t end = std::min(first + some, rows_);
    FEDVS_CHECK(rounding.round(first, end) <= std::numeric_limits<Integer>::max(),
                "a block is narrow only where all integers fit");
    for (std::size_t r = first; r < end; ++r, to += pitch()) {
      std::transform(rounding.row(r - first), rounding.row(r - first) + cols_, to,
                     [](std::int32_t v) { return static_cast<Integer>(v); });
    }
  }
}

void FixedRows::integers(std::size_t row, std::span<std::int32_t> out) const {
  integers(row, row + 1, out);
}

void FixedRows::integers(std::size_t begin, std::size_t end, std::span<std::int32_t> out) const {
  FEDVS_CHECK(begin <= end && end <= rows_, "rows of the table");
  FEDVS_CHECK(out.size() == (end - begin) * cols_, "room for the rows");
  for (std::size_t r = begin; r < end; ++r) {
    block_->integers(r, first_, out.subspan((r - begin) * cols_, cols_));
  }
}

void FixedRows::add_to(quant::OverflowGuard& guard) const {
  for (std::size_t at = 0; at < rows_ * pitch(); at += pitch()) {
    if (is_narrow()) {
      guard.add_rows(std::span(narrow() + at, cols_), cols_);
    } else {
      guard.add_rows(std::span(wide() + at, cols_), cols_);
    }
  }
}

}  // namespace fedvs::model
