// Byte planes on AVX-512 VNNI. vpdpbusd adds four products u8 x s8 to each of 16 sums: a vector of
// W is four depths of a panel's 16 columns, X is broadcast four depths at a time. Turning w into w
// - 128 costs one XOR for up to 12 rows, and sum x w = sum x (w - 128) + 128 sum x.
#include "fedvs/field/avx512_reduce.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"

namespace fedvs::field {
namespace {

constexpr int kRows = 12;  // with two panels: 24 of the 32 registers are sums

// 128 * (x[0] + .. + x[depth - 1]).
FEDVS_TARGET_VNNI std::int32_t offset_of(const std::uint8_t* x, std::size_t depth) {
  const __m512i weight = _mm512_set1_epi8(64);
  __m512i sums = _mm512_setzero_si512();
  std::size_t d = 0;
  for (; d + 64 <= depth; d += 64) {
    sums = _mm512_dpbusd_epi32(sums, _mm512_loadu_si512(x + d), weight);
  }
  const __mmask64 rest = (std::uint64_t{1} << (depth - d)) - 1;
  sums = _mm512_dpbusd_epi32(sums, _mm512_maskz_loadu_epi8(rest, x + d), weight);
  return 2 * _mm512_reduce_add_epi32(sums);
}

FEDVS_TARGET_VNNI FEDVS_INLINE int four_bytes(const std::uint8_t* at) {
  int value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

// The intrinsic makes g++ 12 move sums between registers and the stack in every step.
FEDVS_TARGET_VNNI FEDVS_INLINE void add_products(__m512i& sums, __m512i x, __m512i w) {
  asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(w));
}

// sums[r][c] += row r of X times panel c, from `panel` on.
template <int Rows, int Panels>
FEDVS_TARGET_VNNI FEDVS_INLINE void add_depths(const ByteProduct& product,
                                               const std::uint8_t* panel,
                                               __m512i (&sums)[Rows][Panels]) {
  const __m512i sign = _mm512_set1_epi8(static_cast<char>(128));
  const std::size_t stride = product.x_stride;
  // Addresses of 12 rows from 4 pointers and 3 offsets: they fit the general registers.
  const std::uint8_t *x0 = product.x, *x3 = x0 + 3 * stride, *x6 = x3 + 3 * stride,
                     *x9 = x6 + 3 * stride;
  asm("" : "+r"(x3), "+r"(x6), "+r"(x9));
  for (std::size_t d = 0; d < product.depth; d += kQuad) {
    const std::uint8_t* const threes[4] = {x0, x3, x6, x9};
    __m512i w[Panels];
#pragma GCC unroll 2
    for (int c = 0; c < Panels; ++c) {
      const std::uint8_t* at = panel + static_cast<std::size_t>(c) * product.w_stride;
      w[c] = _mm512_xor_si512(_mm512_loadu_si512(at + d * kPanelWidth), sign);
    }
#pragma GCC unroll 12
    for (int r = 0; r < Rows; ++r) {
      const std::uint8_t* at = threes[r / 3] + static_cast<std::size_t>(r % 3) * stride;
      const __m512i x = _mm512_set1_epi32(four_bytes(at + d));
#pragma GCC unroll 2
      for (int c = 0; c < Panels; ++c) add_products(sums[r][c], x, w[c]);
    }
  }
}

template <int Rows, int Panels>
FEDVS_TARGET_VNNI FEDVS_INLINE void add_residues(const ByteProduct& product,
                                                 const std::uint8_t* out, __mmask16 last,
                                                 __m512i (&sums)[Rows][Panels]) {
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int c = 0; c < Panels; ++c) {
      const std::uint8_t* at = out + static_cast<std::size_t>(r) * product.out_stride + 16 * c;
      sums[r][c] = _mm512_add_epi32(sums[r][c], loaded(at, c + 1 == Panels ? last : kAllColumns));
    }
  }
}

template <int Rows, int Panels>
FEDVS_TARGET_VNNI FEDVS_INLINE void store_residues(const ByteProduct& product,
                                                   const ByteReduction& reduction,
                                                   std::uint8_t* out, __mmask16 last,
                                                   const __m512i (&sums)[Rows][Panels]) {
  const ByteReduction* to = &reduction;
  asm volatile("" : "+r"(to));  // or its vectors are kept in registers that the sums need
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int c = 0; c < Panels; ++c) {
      std::uint8_t* at = out + static_cast<std::size_t>(r) * product.out_stride + 16 * c;
      store(at, c + 1 == Panels ? last : kAllColumns, reduced(sums[r][c], *to));
    }
  }
}

template <int Rows>
struct RowBlock {  // what all panels share
  ByteReduction reduction;
  std::int32_t offsets[Rows];
};

// Panels first .. first + Panels - 1; of the last one, the columns in `last` are stored.
template <int Rows, int Panels>
FEDVS_TARGET_VNNI void multiply_panels(const ByteProduct& product, const RowBlock<Rows>& rows,
                                       std::size_t first, __mmask16 last) {
  std::uint8_t* out = product.out + first * kPanelWidth;
  __m512i sums[Rows][Panels];
#pragma GCC unroll 12
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 2
    for (int c = 0; c < Panels; ++c) sums[r][c] = _mm512_set1_epi32(rows.offsets[r]);
  }
  if (product.add) add_residues(product, out, last, sums);
  add_depths(product, product.w + first * product.w_stride, sums);
  store_residues(product, rows.reduction, out, last, sums);
}

template <int Rows>
FEDVS_TARGET_VNNI void multiply_rows(const ByteProduct& product) {
  RowBlock<Rows> rows{.reduction = byte_reduction(product.prime), .offsets = {}};
  for (int r = 0; r < Rows; ++r) {
    rows.offsets[r] =
        offset_of(product.x + static_cast<std::size_t>(r) * product.x_stride, product.depth);
  }
  const std::size_t panels = panel_rows(product.width);
  const __mmask16 last = columns_of_last_panel(product.width);
  std::size_t panel = 0;
  for (; panel + 2 < panels; panel += 2) {
    multiply_panels<Rows, 2>(product, rows, panel, kAllColumns);
  }
  if (panel + 2 == panels) return multiply_panels<Rows, 2>(product, rows, panel, last);
  multiply_panels<Rows, 1>(product, rows, panel, last);
}

constexpr void (*kByRows[kRows])(const ByteProduct&) = {
    multiply_rows<1>, multiply_rows<2>,  multiply_rows<3>,  multiply_rows<4>,
    multiply_rows<5>, multiply_rows<6>,  multiply_rows<7>,  multiply_rows<8>,
    multiply_rows<9>, multiply_rows<10>, multiply_rows<11>, multiply_rows<12>};

void multiply_block(const ByteProduct& product) { kByRows[product.rows - 1](product); }

}  // namespace

constexpr BlockKernel<std::uint8_t> kBytesVnni{multiply_block, kRows, kMaxBlockDepth, kRows};

}  // namespace fedvs::field
