// Tables of 256 bytes in four registers, looked up 64 at a time.
// Only for files compiled for AVX-512 with VBMI; everything is local to the file that includes it.
#pragma once
#include <immintrin.h>

#include <cstdint>

namespace fedvs::field {
namespace {

struct Table {
  __m512i upper[2];       // entries 128 .. 255
  __m512i difference[2];  // entries 0 .. 127, xor those
};

inline Table table_of(const __m512i entries[4]) {
  return {{entries[2], entries[3]},
          {_mm512_xor_si512(entries[0], entries[2]), _mm512_xor_si512(entries[1], entries[3])}};
}

// vpshufb makes zero of what has its upper bit set; a mask register would cost a multiplication's
// place.
inline __m512i look_up(const Table& table, __m512i x) {
  const __m512i upper = _mm512_permutex2var_epi8(table.upper[0], x, table.upper[1]);
  const __m512i difference = _mm512_permutex2var_epi8(table.difference[0], x, table.difference[1]);
  const __m512i is_lower = _mm512_shuffle_epi8(_mm512_set1_epi8(-1), x);
  return _mm512_xor_si512(upper, _mm512_and_si512(difference, is_lower));
}

// a - b modulo the prime, for a in [0, prime) and b in [1, prime].
inline __m512i minus(__m512i a, __m512i b, __m512i prime) {
  const __m512i difference = _mm512_sub_epi8(a, b);
  return _mm512_mask_add_epi8(difference, _mm512_cmplt_epu8_mask(a, b), difference, prime);
}

}  // namespace
}  // namespace fedvs::field
