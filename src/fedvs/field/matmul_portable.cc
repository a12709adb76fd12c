#include "fedvs/field/matmul_portable.h"

#include <algorithm>
#include <array>
#include <vector>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

// Bytes are widened to 16 bits once per row, so that the inner loop is loads and multiply-adds of
// pairs (pmaddwd). kDepth * 250^2 < 2^31: 32-bit sums of a block stay exact.
constexpr std::size_t kDepth = 32768;
constexpr std::size_t kColumns = 4;  // of H at a time: a row of X is loaded once for all of them
constexpr std::size_t kGrainProducts = std::size_t{1} << 18;  // multiply-adds worth a thread

using Sums = std::array<std::int32_t, kColumns>;

Sums dot_four(const std::int16_t* x, const std::array<const std::int16_t*, kColumns>& w,
              std::size_t depth) {
  std::int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const std::int16_t *w0 = w[0], *w1 = w[1], *w2 = w[2], *w3 = w[3];
  for (std::size_t d = 0; d < depth; ++d) {
    s0 += x[d] * w0[d];
    s1 += x[d] * w1[d];
    s2 += x[d] * w2[d];
    s3 += x[d] * w3[d];
  }
  return {s0, s1, s2, s3};
}

void widen(const std::uint8_t* in, std::size_t count, std::int16_t* out) {
  for (std::size_t d = 0; d < count; ++d) out[d] = in[d];
}

struct WideRows {  // the rows of W_t, 16 bits each
  WideRows(const RingMatrix& w, int plane) : depth(w.stride()), values(w.rows() * depth) {
    for (std::size_t j = 0; j < w.rows(); ++j) {
      widen(w.row<std::uint8_t>(plane, j), depth, &values[j * depth]);
    }
  }
  const std::int16_t* row(std::size_t j) const { return &values[j * depth]; }
  std::size_t depth;
  std::vector<std::int16_t> values;
};

// H[i][j..j+3] for one wide row of X; past the last column the last one is repeated.
void four_columns(const std::int16_t* x, const WideRows& w, std::size_t j, std::size_t columns,
                  std::uint32_t prime, std::uint8_t* out) {
  std::array<std::uint64_t, kColumns> totals{};
  for (std::size_t first = 0; first < w.depth; first += kDepth) {
    std::array<const std::int16_t*, kColumns> rows;
    for (std::size_t c = 0; c < kColumns; ++c) {
      rows[c] = w.row(j + std::min(c, columns - 1)) + first;
    }
    const Sums sums = dot_four(x + first, rows, std::min(kDepth, w.depth - first));
    for (std::size_t c = 0; c < kColumns; ++c) totals[c] += static_cast<std::uint32_t>(sums[c]);
  }
  for (std::size_t c = 0; c < columns; ++c) out[c] = static_cast<std::uint8_t>(totals[c] % prime);
}

void multiply_bytes(const RingMatrix& x, std::span<const std::size_t> rows, const RingMatrix& w,
                    int plane, RingMatrix& out) {
  const WideRows wide(w, plane);
  const std::uint32_t prime = x.ring().prime(plane);
  const auto some_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<std::int16_t> row(wide.depth);
    for (std::size_t i = begin; i < end; ++i) {
      widen(x.row<std::uint8_t>(plane, rows[i]), wide.depth, row.data());
      std::uint8_t* h = out.row<std::uint8_t>(plane, i);
      for (std::size_t j = 0; j < w.rows(); j += kColumns) {
        four_columns(row.data(), wide, j, std::min(kColumns, w.rows() - j), prime, h + j);
      }
    }
  };
  const std::size_t grain = kGrainProducts / (w.rows() * wide.depth) + 1;
  ThreadPool::global().parallel_for(rows.size(), grain, some_rows);
}

std::uint32_t dot_m31(const std::uint32_t* x, const std::uint32_t* w, std::size_t depth) {
  std::uint64_t low = 0, high = 0;  // of products below 2^62: exact for 2^32 of them
  for (std::size_t d = 0; d < depth; ++d) {
    const std::uint64_t product = std::uint64_t{x[d]} * w[d];
    low += product & kMersenne31;
    high += product >> 31;
  }
  return static_cast<std::uint32_t>((low % kMersenne31 + high % kMersenne31) % kMersenne31);
}

void multiply_m31(const RingMatrix& x, std::span<const std::size_t> rows, const RingMatrix& w,
                  int plane, RingMatrix& out) {
  const auto some_rows = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t* left = x.row<std::uint32_t>(plane, rows[i]);
      std::uint32_t* h = out.row<std::uint32_t>(plane, i);
      for (std::size_t j = 0; j < w.rows(); ++j) {
        h[j] = dot_m31(left, w.row<std::uint32_t>(plane, j), x.stride());
      }
    }
  };
  const std::size_t grain = kGrainProducts / (w.rows() * x.stride()) + 1;
  ThreadPool::global().parallel_for(rows.size(), grain, some_rows);
}

}  // namespace

void multiply_plane_portable(const RingMatrix& x, std::span<const std::size_t> rows,
                             const RingMatrix& w_transposed, int plane, RingMatrix& out) {
  if (x.ring().word_bytes() == 1) {
    multiply_bytes(x, rows, w_transposed, plane, out);
  } else {
    multiply_m31(x, rows, w_transposed, plane, out);
  }
}

}  // namespace fedvs::field
