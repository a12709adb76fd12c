// Sums of a block to residues modulo a byte prime, 16 at a time: what the AVX-512 and AMX kernels
// end with. For those files only: everything here is AVX-512 code.
#pragma once
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "fedvs/base/isa.h"
#include "fedvs/field/byte_reduction.h"
#include "fedvs/field/panels.h"

namespace fedvs::field {

inline constexpr __mmask16 kAllColumns = 0xffff;

constexpr __mmask16 columns_of_last_panel(std::size_t width) {
  return static_cast<__mmask16>(0xffffu >> (panel_rows(width) * kPanelWidth - width));
}

FEDVS_TARGET_VNNI FEDVS_INLINE __m512i in_all_lanes(std::uint32_t value) {
  return _mm512_set1_epi32(static_cast<int>(value));
}

// Any 32-bit sums. Bytes times weights leaves less than 3 * 2^16, then less than 2^16; then the
// quotient by multiplication is at most one too small.
FEDVS_TARGET_VNNI FEDVS_INLINE __m512i reduced(__m512i sums, const ByteReduction& to) {
  const __m512i weights = in_all_lanes(to.weights), prime = in_all_lanes(to.prime);
  const __m512i bits18 = _mm512_dpbusd_epi32(in_all_lanes(to.bias18), sums, weights);
  const __m512i bits16 = _mm512_dpbusd_epi32(in_all_lanes(to.bias16), bits18, weights);
  const __m512i quotient = _mm512_mulhi_epu16(bits16, in_all_lanes(to.quotient));
  const __m512i rest = _mm512_sub_epi16(bits16, _mm512_mullo_epi16(quotient, prime));
  return _mm512_min_epu16(rest, _mm512_sub_epi16(rest, prime));
}

// 16 bytes of a row of the result; columns that are not kept are neither read nor written.
FEDVS_TARGET_VNNI FEDVS_INLINE __m512i loaded(const std::uint8_t* at, __mmask16 kept) {
  return _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(kept, at));
}
FEDVS_TARGET_VNNI FEDVS_INLINE void store(std::uint8_t* at, __mmask16 kept, __m512i residues) {
  _mm_mask_storeu_epi8(at, kept, _mm512_cvtepi32_epi8(residues));
}

}  // namespace fedvs::field
