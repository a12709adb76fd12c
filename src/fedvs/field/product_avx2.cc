// Byte planes on AVX2. vpmaddubsw would saturate, so bytes are widened to 16 bits and multiplied in
// pairs (vpmaddwd, exact). Masking the 32 bits of a quad leaves its depths 0 and 2, shifting leaves
// 1 and 3: W is widened so on its way into registers, X once per block for all panels.
#include <immintrin.h>

#include "fedvs/base/isa.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"

namespace fedvs::field {
namespace {

constexpr int kRows = 6;              // by a panel of two vectors: 12 of the 16 registers are sums
constexpr std::size_t kDepth = 1024;  // X of a block: 12 KB
constexpr std::size_t kHalves = 2;    // depths 0 and 2 of every quad; depths 1 and 3
using WideRow = std::int32_t[kHalves][kDepth / kQuad];
alignas(64) thread_local WideRow wide_x[kRows];  // reused: shares are not left behind on the stack

FEDVS_TARGET_AVX2 FEDVS_INLINE __m256i half_of(__m256i quads, std::size_t half) {
  return half == 0 ? _mm256_and_si256(quads, _mm256_set1_epi32(0x00ff00ff))
                   : _mm256_srli_epi16(quads, 8);
}

FEDVS_TARGET_AVX2 FEDVS_INLINE __m256i loaded(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

FEDVS_TARGET_AVX2 void widen_row(const std::uint8_t* x, std::size_t depth, WideRow& out) {
  std::size_t d = 0;
  for (; d + 32 <= depth; d += 32) {
    for (std::size_t half = 0; half < kHalves; ++half) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out[half] + d / kQuad),
                          half_of(loaded(x + d), half));
    }
  }
  for (; d < depth; d += kQuad) {
    out[0][d / kQuad] = x[d] | x[d + 2] << 16;
    out[1][d / kQuad] = x[d + 1] | x[d + 3] << 16;
  }
}

// sums += pairs of x times pairs of w. As intrinsics, g++ 12 keeps some sums on the stack; `x`
// gives its register to the second product.
FEDVS_TARGET_AVX2 FEDVS_INLINE void add_products(__m256i (&sums)[2], __m256i x, __m256i left,
                                                 __m256i right) {
  __m256i products;
  asm("vpmaddwd %4, %2, %3\n\t"
      "vpmaddwd %5, %2, %2\n\t"
      "vpaddd %3, %0, %0\n\t"
      "vpaddd %2, %1, %1"
      : "+x"(sums[0]), "+x"(sums[1]), "+x"(x), "=&x"(products)
      : "x"(left), "x"(right));
}

template <int Rows>
FEDVS_TARGET_AVX2 FEDVS_INLINE void add_depths(const WideRow* x, const std::uint8_t* panel,
                                               std::size_t depth, __m256i (&sums)[Rows][2]) {
  for (std::size_t q = 0; q < depth / kQuad; ++q) {
#pragma GCC unroll 2
    for (std::size_t half = 0; half < kHalves; ++half) {
      const __m256i left = half_of(loaded(panel + q * 64), half);
      const __m256i right = half_of(loaded(panel + q * 64 + 32), half);
#pragma GCC unroll 6
      for (int r = 0; r < Rows; ++r) {
        const __m256i pair = _mm256_set1_epi32(x[r][half][q]);
        add_products(sums[r], pair, left, right);
      }
    }
  }
}

// Sums below 2^27, cut at bit 15 and joined again with 2^15 mod p: below 2^20, then below 2^16.
FEDVS_TARGET_AVX2 FEDVS_INLINE __m256i cut(__m256i sums, __m256i weights) {
  const __m256i high = _mm256_and_si256(sums, _mm256_set1_epi32(~0x7fff));
  return _mm256_madd_epi16(_mm256_add_epi32(sums, high), weights);
}

// 16 sums to 16 residues. The quotient by multiplication is at most one too small.
FEDVS_TARGET_AVX2 FEDVS_INLINE __m128i reduced(const __m256i (&sums)[2], std::uint32_t prime) {
  const int p = static_cast<int>(prime);
  const __m256i weights = _mm256_set1_epi32(((1 << 15) % p) << 16 | 1);
  const __m256i p16 = _mm256_set1_epi16(static_cast<short>(p));
  const __m256i inverse = _mm256_set1_epi16(static_cast<short>(65536 / p));
  const __m256i left = cut(cut(sums[0], weights), weights);
  const __m256i right = cut(cut(sums[1], weights), weights);
  const __m256i values = _mm256_permute4x64_epi64(_mm256_packus_epi32(left, right), 0xd8);
  const __m256i quotients = _mm256_mulhi_epu16(values, inverse);
  const __m256i rest = _mm256_sub_epi16(values, _mm256_mullo_epi16(quotients, p16));
  const __m256i residues = _mm256_min_epu16(rest, _mm256_sub_epi16(rest, p16));
  return _mm_packus_epi16(_mm256_castsi256_si128(residues), _mm256_extracti128_si256(residues, 1));
}

FEDVS_TARGET_AVX2 FEDVS_INLINE void start_sums(const std::uint8_t* out, std::size_t columns,
                                               __m256i (&sums)[2]) {
  std::uint8_t before[kPanelWidth] = {};
  __builtin_memcpy(before, out, columns);
  const __m128i residues = _mm_loadu_si128(reinterpret_cast<const __m128i*>(before));
  sums[0] = _mm256_cvtepu8_epi32(residues);
  sums[1] = _mm256_cvtepu8_epi32(_mm_srli_si128(residues, 8));
}

FEDVS_TARGET_AVX2 FEDVS_INLINE void store_sums(const __m256i (&sums)[2], std::uint32_t prime,
                                               std::size_t columns, std::uint8_t* out) {
  const __m128i residues = reduced(sums, prime);
  __builtin_memcpy(out, &residues, columns);
}

template <int Rows>
FEDVS_TARGET_AVX2 void multiply_panel(const ByteProduct& product, std::size_t panel,
                                      std::size_t columns) {
  std::uint8_t* out = product.out + panel * kPanelWidth;
  __m256i sums[Rows][2];
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
    const std::size_t before = product.add ? columns : 0;
    start_sums(out + static_cast<std::size_t>(r) * product.out_stride, before, sums[r]);
  }
  add_depths(wide_x, product.w + panel * product.w_stride, product.depth, sums);
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
    store_sums(sums[r], product.prime, columns,
               out + static_cast<std::size_t>(r) * product.out_stride);
  }
}

template <int Rows>
FEDVS_TARGET_AVX2 void multiply_rows(const ByteProduct& product) {
  for (int r = 0; r < Rows; ++r) {
    widen_row(product.x + static_cast<std::size_t>(r) * product.x_stride, product.depth, wide_x[r]);
  }
  for (std::size_t first = 0; first < product.width; first += kPanelWidth) {
    const std::size_t left = product.width - first;
    multiply_panel<Rows>(product, first / kPanelWidth, left < kPanelWidth ? left : kPanelWidth);
  }
}

constexpr void (*kByRows[kRows])(const ByteProduct&) = {multiply_rows<1>, multiply_rows<2>,
                                                        multiply_rows<3>, multiply_rows<4>,
                                                        multiply_rows<5>, multiply_rows<6>};

void multiply_block(const ByteProduct& product) { kByRows[product.rows - 1](product); }

}  // namespace

constexpr BlockKernel<std::uint8_t> kBytesAvx2{multiply_block, kRows, kDepth, kRows};

}  // namespace fedvs::field
