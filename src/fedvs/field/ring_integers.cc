// Integers into a ring matrix and out of it.
#include <algorithm>
#include <array>

#include "fedvs/field/join.h"
#include "fedvs/field/kernel.h"
#include "fedvs/field/reduce.h"
#include "fedvs/field/ring_matrix.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kTile = 2048;  // integers: read from the nearest cache for all planes but one

template <class Integer>
void put_row(RingMatrix& out, std::size_t row, std::size_t col, std::span<const Integer> integers) {
  const Ring& ring = out.ring();
  if (ring.word_bytes() == 4) {
    return reduce_integers_m31(integers, out.row<std::uint32_t>(0, row) + col);
  }
  for (std::size_t first = 0; first < integers.size(); first += kTile) {
    const auto tile = integers.subspan(first, std::min(kTile, integers.size() - first));
    for (int plane = 0; plane < ring.planes(); ++plane) {
      reduce_integers(tile, ring.prime(plane), out.row<std::uint8_t>(plane, row) + col + first);
    }
  }
}

template <class Integer>
void put_rows(RingMatrix& out, std::size_t first_row, std::size_t first_col, std::size_t rows,
              std::size_t cols, std::span<const Integer> integers) {
  FEDVS_CHECK(integers.size() == rows * cols, "as many integers as elements");
  FEDVS_CHECK(first_row + rows <= out.rows() && first_col + cols <= out.cols(), "they must fit");
  if (integers.empty()) return;
  for (std::size_t r = 0; r < rows; ++r) {
    put_row(out, first_row + r, first_col, integers.subspan(r * cols, cols));
  }
}

bool joins_in_doubles(const Ring& ring) {
  const double needed = 2 * 250.0 * ring.planes() * static_cast<double>(ring.modulus());
  return ring.word_bytes() == 1 && static_cast<std::size_t>(ring.planes()) <= kJoinedPlanes &&
         needed < kNarrowJoin;
}

void join_narrow(const RingMatrix& matrix, std::span<std::int64_t> integers) {
  const Ring& ring = matrix.ring();
  NarrowJoin join{static_cast<std::size_t>(ring.planes()), static_cast<double>(ring.modulus()), {}};
  for (int i = 0; i < ring.planes(); ++i) join.unit[i] = static_cast<double>(ring.unit(i));
  const Kernel kernel = active_kernel();
  const auto join_row = kernel >= Kernel::kVnni   ? &join_narrow_avx512
                        : kernel >= Kernel::kAvx2 ? &join_narrow_avx2
                                                  : &join_narrow_portable;
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    std::array<const std::uint8_t*, kJoinedPlanes> planes;
    for (int i = 0; i < ring.planes(); ++i) {
      planes[static_cast<std::size_t>(i)] = matrix.row<std::uint8_t>(i, r);
    }
    join_row(join, planes.data(), matrix.cols(), &integers[r * matrix.cols()]);
  }
}

void centre_m31(const RingMatrix& matrix, std::span<std::int64_t> integers) {
  const auto modulus = static_cast<std::int64_t>(matrix.ring().modulus());
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    const std::uint32_t* row = matrix.row<std::uint32_t>(0, r);
    std::int64_t* out = &integers[r * matrix.cols()];
    for (std::size_t c = 0; c < matrix.cols(); ++c) {
      const std::int64_t value = row[c];
      out[c] = value > (modulus - 1) / 2 ? value - modulus : value;
    }
  }
}

void join_one_by_one(const RingMatrix& matrix, std::span<std::int64_t> integers) {
  constexpr std::size_t kMaxPlanes = 16;
  const auto planes = static_cast<std::size_t>(matrix.ring().planes());
  FEDVS_CHECK(planes <= kMaxPlanes, "more planes than any ring has");
  std::array<Residue, kMaxPlanes> residues;
  for (std::size_t e = 0; e < integers.size(); ++e) {
    for (std::size_t i = 0; i < planes; ++i) {
      residues[i] = matrix.get(static_cast<int>(i), e / matrix.cols(), e % matrix.cols());
    }
    integers[e] = matrix.ring().integer({residues.data(), planes});
  }
}

}  // namespace

void put_integers(RingMatrix& out, std::size_t first_row, std::size_t first_col, std::size_t rows,
                  std::size_t cols, std::span<const std::int32_t> integers) {
  put_rows(out, first_row, first_col, rows, cols, integers);
}

void put_integers(RingMatrix& out, std::size_t first_row, std::size_t first_col, std::size_t rows,
                  std::size_t cols, std::span<const std::int16_t> integers) {
  put_rows(out, first_row, first_col, rows, cols, integers);
}

RingMatrix RingMatrix::from_integers(const Ring& ring, std::size_t rows, std::size_t cols,
                                     std::span<const std::int32_t> integers) {
  RingMatrix matrix = unset(ring, rows, cols);
  put_integers(matrix, 0, 0, rows, cols, integers);
  return matrix;
}

std::vector<std::int64_t> RingMatrix::to_integers() const {
  std::vector<std::int64_t> integers(rows_ * cols_);
  to_integers(integers);
  return integers;
}

void RingMatrix::to_integers(std::span<std::int64_t> integers) const {
  FEDVS_CHECK(integers.size() == rows_ * cols_, "as many integers as elements");
  if (empty()) return;
  if (joins_in_doubles(*ring_)) {
    join_narrow(*this, integers);
  } else if (ring_->word_bytes() == 4) {
    centre_m31(*this, integers);
  } else {
    join_one_by_one(*this, integers);
  }
}

}  // namespace fedvs::field
