// Sums to residues of a byte prime, 64 at a time: the three steps of BytePrime.
// Only for files compiled for AVX-512 with VNNI; everything is local to the file that includes it.
#pragma once
#include <immintrin.h>

#include "fedvs/field/combine_kernels.h"

namespace fedvs::field {
namespace {

struct PrimeVectors {
  explicit PrimeVectors(const BytePrime& p)
      : prime(_mm512_set1_epi16(static_cast<short>(p.prime))),
        magic(_mm512_set1_epi16(static_cast<short>(p.magic))),
        lift(_mm512_set1_epi32(p.lift)) {
    int four;
    __builtin_memcpy(&four, p.weights, 4);
    weights = _mm512_set1_epi32(four);
  }
  __m512i prime, magic, lift, weights;
};

struct Halves {  // 64 values below 2^15: elements 0 .. 7 and 8 .. 15 of each 128-bit lane
  __m512i low, high;
};

// sums[j] holds elements 4j .. 4j+3 of each 128-bit lane, each in [0, 2^19).
inline Halves shrink(const __m512i sums[4], const PrimeVectors& p) {
  __m512i v[4];
  for (int j = 0; j < 4; ++j) v[j] = _mm512_dpbusd_epi32(p.lift, sums[j], p.weights);
  return {_mm512_packus_epi32(v[0], v[1]), _mm512_packus_epi32(v[2], v[3])};
}

inline Halves plus(const Halves& values, __m512i bytes) {
  const __m512i zero = _mm512_setzero_si512();
  return {_mm512_add_epi16(values.low, _mm512_unpacklo_epi8(bytes, zero)),
          _mm512_add_epi16(values.high, _mm512_unpackhi_epi8(bytes, zero))};
}

inline __m512i remainder16(__m512i v, const PrimeVectors& p) {
  const __m512i quotient = _mm512_srli_epi16(_mm512_mulhi_epu16(v, p.magic), 7);
  return _mm512_sub_epi16(v, _mm512_mullo_epi16(quotient, p.prime));
}

inline __m512i residues(const Halves& values, const PrimeVectors& p) {
  return _mm512_packus_epi16(remainder16(values.low, p), remainder16(values.high, p));
}

// Bytes: a - b modulo the prime, for a in [0, prime) and b in [1, prime].
inline __m512i minus(__m512i a, __m512i b, __m512i prime) {
  const __m512i difference = _mm512_sub_epi8(a, b);
  return _mm512_mask_add_epi8(difference, _mm512_cmplt_epu8_mask(a, b), difference, prime);
}

}  // namespace
}  // namespace fedvs::field
