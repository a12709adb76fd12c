// 2^31 - 1 on AVX-512 IFMA. Winograd's inner product takes one multiplication for two depths:
//   x0 w0 + x1 w1 = (x0 + w1) (x1 + w0) - x0 x1 - w0 w1
// The last two terms belong to a row of X and to a column of W. vpmadd52luq and vpmadd52huq add a
// product's low 52 bits and the rest to two sums, so a block needs no reduction but the last. That
// is one multiplication and one addition per depth, as with vpmuldq and vpaddq, which must reduce
// every eight depths.
#include <immintrin.h>

#include "fedvs/base/isa.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

constexpr int kRows = 12;            // by low and high sums: 24 of the 32 registers
constexpr std::size_t kDepth = 832;  // rows of X and a panel: 93 KB, in the second cache
constexpr __mmask16 kEven = 0x5555;  // columns of a panel

struct Sums {  // low + 2^52 high, of at most kDepth / 2 products below 2^64
  __m512i low, high;
};

FEDVS_TARGET_IFMA FEDVS_INLINE void add_product(Sums& sums, __m512i a, __m512i b) {
  sums.low = _mm512_madd52lo_epu64(sums.low, a, b);
  sums.high = _mm512_madd52hi_epu64(sums.high, a, b);
}

// Of the even words of w0 and w1; what the odd ones hold is left out. As intrinsics, g++ 12 moves
// sums between registers and the stack in every step.
FEDVS_TARGET_IFMA FEDVS_INLINE void add_pair(Sums& sums, const std::uint32_t* x, __m512i w0,
                                             __m512i w1) {
  __m512i left, right;
  asm("vpaddd %4%{1to16%}, %7, %2%{%8%}%{z%}\n\t"
      "vpaddd %5%{1to16%}, %6, %3%{%8%}%{z%}\n\t"
      "vpmadd52luq %2, %3, %0\n\t"
      "vpmadd52huq %2, %3, %1"
      : "+v"(sums.low), "+v"(sums.high), "=&v"(left), "=&v"(right)
      : "m"(x[0]), "m"(x[1]), "v"(w0), "v"(w1), "Yk"(kEven));
}

FEDVS_TARGET_IFMA FEDVS_INLINE __m512i folded(__m512i sums) {  // congruent modulo 2^31 - 1
  const __m512i low = _mm512_and_si512(sums, _mm512_set1_epi64(kMersenne31));
  return _mm512_add_epi64(low, _mm512_srli_epi64(sums, 31));
}

// To [0, p), with `more` < 2^32. high < 2^21 and 2^52 = 2^21: the second fold, of less than 2^43,
// leaves less than 2^31 + 2^12.
FEDVS_TARGET_IFMA FEDVS_INLINE __m512i residues(const Sums& sums, __m512i more) {
  const __m512i high = _mm512_add_epi64(_mm512_slli_epi64(sums.high, 21), more);
  const __m512i rest = folded(_mm512_add_epi64(folded(sums.low), high));
  return _mm512_min_epu64(rest, _mm512_sub_epi64(rest, _mm512_set1_epi64(kMersenne31)));
}

template <bool Odd>
FEDVS_TARGET_IFMA FEDVS_INLINE __m512i
half(__m512i words) {  // the even or the odd ones, in 64 bits
  if constexpr (Odd) return _mm512_srli_epi64(words, 32);
  return _mm512_and_si512(words, _mm512_set1_epi64(0xffffffff));
}

// Minus x0 x1 of all pairs, modulo p.
FEDVS_TARGET_IFMA std::uint64_t row_term(const std::uint32_t* x, std::size_t depth) {
  Sums pairs{};
  for (std::size_t d = 0; d < depth; d += 16) {
    const std::size_t left = depth - d;
    const auto kept = static_cast<__mmask16>(left < 16 ? (1u << left) - 1 : 0xffffu);
    const __m512i words = _mm512_maskz_loadu_epi32(kept, x + d);
    add_product(pairs, half<false>(words), half<true>(words));
  }
  const auto sum = _mm512_reduce_add_epi64(residues(pairs, _mm512_setzero_si512()));
  return kMersenne31 - static_cast<std::uint64_t>(sum) % kMersenne31;
}

template <int Rows, bool Odd>
FEDVS_TARGET_IFMA FEDVS_INLINE void add_depths(const WordProduct& product,
                                               const std::uint32_t* panel, Sums (&sums)[Rows]) {
  const std::size_t stride = product.x_stride;
  const std::uint32_t *x0 = product.x, *x3 = x0 + 3 * stride, *x6 = x3 + 3 * stride,
                      *x9 = x6 + 3 * stride;
  asm("" : "+r"(x3), "+r"(x6), "+r"(x9));
  for (std::size_t d = 0; d < product.depth; d += 2) {
    // Addresses of 12 rows from 4 pointers and 3 offsets: they fit the general registers. Without
    // the asm, g++ 12 counts x[0] and x[1] apart and runs out of them.
    const std::uint32_t* const threes[4] = {x0, x3, x6, x9};
    std::size_t offsets[3] = {d, d + stride, d + 2 * stride};
    asm("" : "+r"(offsets[0]), "+r"(offsets[1]), "+r"(offsets[2]));
    __m512i w0 = _mm512_loadu_si512(panel + d * kPanelWidth);
    __m512i w1 = _mm512_loadu_si512(panel + (d + 1) * kPanelWidth);
    if constexpr (Odd) w0 = _mm512_srli_epi64(w0, 32), w1 = _mm512_srli_epi64(w1, 32);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < Rows; ++r) {
      add_pair(sums[r], threes[r / 3] + offsets[r % 3], w0, w1);
    }
  }
}

// Adds to the columns in `own` of a row of out.
template <bool Odd>
FEDVS_TARGET_IFMA FEDVS_INLINE void add_row(const Sums& sums, std::uint64_t offset,
                                            std::uint32_t* out, __mmask16 own) {
  const __m512i before = half<Odd>(_mm512_maskz_loadu_epi32(own, out));
  const __m512i more = _mm512_set1_epi64(static_cast<std::int64_t>(offset));
  const __m512i after = residues(sums, _mm512_add_epi64(before, more));
  _mm512_mask_storeu_epi32(out, own, Odd ? _mm512_slli_epi64(after, 32) : after);
}

// The even or the odd columns of a panel.
template <int Rows, bool Odd>
FEDVS_TARGET_IFMA void multiply_half(const WordProduct& product,
                                     const std::uint64_t (&offsets)[Rows], std::size_t panel,
                                     __mmask16 kept) {
  Sums sums[Rows];
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) sums[r] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
  add_depths<Rows, Odd>(product, product.w + panel * product.w_stride, sums);
  const auto own = static_cast<__mmask16>(kept & (Odd ? ~kEven : kEven));
  std::uint32_t* out = product.out + panel * kPanelWidth;
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
    add_row<Odd>(sums[r], offsets[r], out + static_cast<std::size_t>(r) * product.out_stride, own);
  }
}

FEDVS_TARGET_IFMA FEDVS_INLINE __mmask16 columns_of(const WordProduct& product, std::size_t panel) {
  const std::size_t left = product.width - panel * kPanelWidth;
  return static_cast<__mmask16>(left < kPanelWidth ? (1u << left) - 1 : 0xffffu);
}

template <int Rows>
FEDVS_TARGET_IFMA void multiply_rows(const WordProduct& product) {
  std::uint64_t offsets[Rows];
  for (int r = 0; r < Rows; ++r) {
    offsets[r] =
        row_term(product.x + static_cast<std::size_t>(r) * product.x_stride, product.depth);
  }
  for (std::size_t panel = 0; panel < panel_rows(product.width); ++panel) {
    multiply_half<Rows, false>(product, offsets, panel, columns_of(product, panel));
    multiply_half<Rows, true>(product, offsets, panel, columns_of(product, panel));
  }
}

constexpr void (*kByRows[kRows])(const WordProduct&) = {
    multiply_rows<1>, multiply_rows<2>,  multiply_rows<3>,  multiply_rows<4>,
    multiply_rows<5>, multiply_rows<6>,  multiply_rows<7>,  multiply_rows<8>,
    multiply_rows<9>, multiply_rows<10>, multiply_rows<11>, multiply_rows<12>};

void multiply_block(const WordProduct& product) { kByRows[product.rows - 1](product); }

// w0 w1 of all pairs, modulo p, of a panel's 16 columns.
FEDVS_TARGET_IFMA FEDVS_INLINE __m512i column_terms(const std::uint32_t* panel, std::size_t depth) {
  Sums even{}, odd{};
  for (std::size_t d = 0; d < depth; d += 2) {
    const __m512i w0 = _mm512_loadu_si512(panel + d * kPanelWidth);
    const __m512i w1 = _mm512_loadu_si512(panel + (d + 1) * kPanelWidth);
    add_product(even, half<false>(w0), half<false>(w1));
    add_product(odd, half<true>(w0), half<true>(w1));
  }
  const __m512i none = _mm512_setzero_si512();
  return _mm512_or_si512(residues(even, none), _mm512_slli_epi64(residues(odd, none), 32));
}

// The terms of W's columns, once for all rows.
FEDVS_TARGET_IFMA void subtract_column_terms(const WordProduct& product) {
  const __m512i prime = _mm512_set1_epi32(kMersenne31);
  for (std::size_t panel = 0; panel < panel_rows(product.width); ++panel) {
    const __m512i terms = column_terms(product.w + panel * product.w_stride, product.depth);
    const __mmask16 kept = columns_of(product, panel);
    for (std::size_t r = 0; r < product.rows; ++r) {
      std::uint32_t* at = product.out + r * product.out_stride + panel * kPanelWidth;
      const __m512i before = _mm512_maskz_loadu_epi32(product.add ? kept : __mmask16{0}, at);
      const __m512i after = _mm512_sub_epi32(before, terms);
      _mm512_mask_storeu_epi32(at, kept, _mm512_min_epu32(after, _mm512_add_epi32(after, prime)));
    }
  }
}

}  // namespace

constexpr BlockKernel<std::uint32_t> kM31Ifma{multiply_block, kRows, kDepth, kRows,
                                              subtract_column_terms};

}  // namespace fedvs::field
