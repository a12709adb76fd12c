// 2^31 - 1 on AVX2: vpmuludq multiplies the even columns of half a panel, and the odd ones after a
// shift. Products are below 2^62, so four of them fit on top of a folded sum (below 2^34) in 64
// bits.
#include <immintrin.h>

#include "fedvs/base/isa.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

constexpr int kRows = 6;              // by even and odd columns: 12 of the 16 registers are sums
constexpr std::size_t kColumns = 8;   // of a vector
constexpr std::size_t kDepth = 1024;  // of a block: W's panels stay in the second cache

// As intrinsics, g++ 12 keeps some sums on the stack. `x` gives its register to the second product.
FEDVS_TARGET_AVX2 FEDVS_INLINE void add_products(__m256i (&sums)[2], __m256i x, __m256i even,
                                                 __m256i odd) {
  __m256i products;
  asm("vpmuludq %4, %2, %3\n\t"
      "vpmuludq %5, %2, %2\n\t"
      "vpaddq %3, %0, %0\n\t"
      "vpaddq %2, %1, %1"
      : "+x"(sums[0]), "+x"(sums[1]), "+x"(x), "=&x"(products)
      : "x"(even), "x"(odd));
}

// Below 2^31 + 2^33, and congruent modulo 2^31 - 1.
FEDVS_TARGET_AVX2 FEDVS_INLINE __m256i folded(__m256i sums) {
  const __m256i low = _mm256_and_si256(sums, _mm256_set1_epi64x(kMersenne31));
  return _mm256_add_epi64(low, _mm256_srli_epi64(sums, 31));
}

// Even and odd sums below 2^34 to 8 residues: the second fold leaves at most 2^31 + 7, less than
// 2p.
FEDVS_TARGET_AVX2 FEDVS_INLINE __m256i residues(const __m256i (&sums)[2]) {
  const __m256i even = folded(folded(sums[0])), odd = folded(folded(sums[1]));
  const __m256i rest = _mm256_or_si256(even, _mm256_slli_epi64(odd, 32));
  return _mm256_min_epu32(rest, _mm256_sub_epi32(rest, _mm256_set1_epi32(kMersenne31)));
}

template <int Rows>
FEDVS_TARGET_AVX2 FEDVS_INLINE void add_depths(const WordProduct& product,
                                               const std::uint32_t* panel,
                                               __m256i (&sums)[Rows][2]) {
  for (std::size_t first = 0; first < product.depth; first += kQuad) {
    for (std::size_t d = first; d < first + kQuad; ++d) {
      const __m256i even =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(panel + d * kPanelWidth));
      const __m256i odd = _mm256_srli_epi64(even, 32);
#pragma GCC unroll 6
      for (int r = 0; r < Rows; ++r) {
        const std::uint32_t* at = product.x + static_cast<std::size_t>(r) * product.x_stride;
        const __m256i x = _mm256_set1_epi32(static_cast<int>(at[d]));
        add_products(sums[r], x, even, odd);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) {
      sums[r][0] = folded(sums[r][0]);
      sums[r][1] = folded(sums[r][1]);
    }
  }
}

FEDVS_TARGET_AVX2 FEDVS_INLINE __m256i first_columns(std::size_t columns) {
  const __m256i order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(columns)), order);
}

// Half a panel: the columns from `first` on, at most 8 of them.
template <int Rows>
FEDVS_TARGET_AVX2 void multiply_half(const WordProduct& product, std::size_t first,
                                     std::size_t columns) {
  int* out = reinterpret_cast<int*>(product.out + first);
  const __m256i kept = first_columns(columns), before = first_columns(product.add ? columns : 0);
  __m256i sums[Rows][2];
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
    const int* at = out + static_cast<std::size_t>(r) * product.out_stride;
    const __m256i both = _mm256_maskload_epi32(at, before);
    sums[r][0] = _mm256_and_si256(both, _mm256_set1_epi64x(0xffffffff));
    sums[r][1] = _mm256_srli_epi64(both, 32);
  }
  add_depths(product, product.w + first / kPanelWidth * product.w_stride + first % kPanelWidth,
             sums);
#pragma GCC unroll 6
  for (int r = 0; r < Rows; ++r) {
    _mm256_maskstore_epi32(out + static_cast<std::size_t>(r) * product.out_stride, kept,
                           residues(sums[r]));
  }
}

template <int Rows>
FEDVS_TARGET_AVX2 void multiply_rows(const WordProduct& product) {
  for (std::size_t first = 0; first < product.width; first += kColumns) {
    const std::size_t left = product.width - first;
    multiply_half<Rows>(product, first, left < kColumns ? left : kColumns);
  }
}

constexpr void (*kByRows[kRows])(const WordProduct&) = {multiply_rows<1>, multiply_rows<2>,
                                                        multiply_rows<3>, multiply_rows<4>,
                                                        multiply_rows<5>, multiply_rows<6>};

void multiply_block(const WordProduct& product) { kByRows[product.rows - 1](product); }

}  // namespace

constexpr BlockKernel<std::uint32_t> kM31Avx2{multiply_block, kRows, kDepth, kRows};

}  // namespace fedvs::field
