// Of 32 bits: one vpdpbusd weighs the four bytes of v + 2^31 by the powers of 2^8 modulo the prime;
// what is left is below 2^18. Of 16 bits: vpmaddubsw does so with the two bytes of v + 2^15.
// Compiled for AVX-512 with VNNI: no std:: here.
#include "fedvs/field/reduce_vnni.h"

#include "fedvs/field/residues_vnni.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kLine = 64;

inline __mmask16 lanes(std::size_t count, std::size_t first) {
  const std::size_t left = count > first ? count - first : 0;
  return static_cast<__mmask16>(left >= 16 ? 0xffff : (1u << left) - 1);
}

inline void store(std::uint8_t* out, std::size_t count, __m512i line) {
  if (count >= kLine) {
    _mm512_storeu_si512(out, line);
  } else {
    _mm512_mask_storeu_epi8(out, (__mmask64{1} << count) - 1, line);
  }
}

inline __m512i load_half(const std::int16_t* values, std::size_t count, std::size_t first) {
  const std::size_t left = count > first ? count - first : 0;
  const auto mask = static_cast<__mmask32>(left >= 32 ? ~0u : (1u << left) - 1);
  return _mm512_maskz_loadu_epi16(mask, values + first);
}

// Congruent to -2^15, and makes b0 + b1 weights[1] non-negative; with it they are below 2^15.
inline short narrow_lift(const BytePrime& prime) {
  const int weight = prime.weights[1], p = prime.prime;
  const int least = (1 << 15) + (weight < 0 ? -255 * weight : 0);
  return static_cast<short>((least / p + 1) * p - (1 << 15));
}

}  // namespace

void reduce_integers_vnni(const std::int32_t* values, std::size_t count, const BytePrime& prime,
                          std::uint8_t* out) {
  const PrimeVectors p(prime);
  const __m512i sign_lift = _mm512_set1_epi32(prime.sign_lift);
  const __m512i sign = _mm512_set1_epi32(static_cast<int>(0x80000000u));
  // Packing leaves four elements of each of the sums in every 128-bit lane: this sorts them.
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (std::size_t i = 0; i < count; i += kLine) {
    __m512i sums[4];
    for (std::size_t j = 0; j < 4; ++j) {
      const __mmask16 mask = lanes(count - i, 16 * j);
      const __m512i v = _mm512_maskz_loadu_epi32(mask, values + i + 16 * j);
      sums[j] = _mm512_dpbusd_epi32(sign_lift, _mm512_xor_si512(v, sign), p.weights);
    }
    // (The form without a mask draws a false warning from GCC 12.)
    const __m512i sorted =
        _mm512_maskz_permutexvar_epi32(0xffff, order, residues(shrink(sums, p), p));
    store(out + i, count - i, sorted);
  }
}

void reduce_integers_vnni(const std::int16_t* values, std::size_t count, const BytePrime& prime,
                          std::uint8_t* out) {
  const PrimeVectors p(prime);
  short two;  // weights
  __builtin_memcpy(&two, prime.weights, 2);
  const __m512i weights = _mm512_set1_epi16(two), lift = _mm512_set1_epi16(narrow_lift(prime));
  const __m512i sign = _mm512_set1_epi16(static_cast<short>(0x8000));
  const auto shrunk = [&](__m512i v) {
    return _mm512_add_epi16(_mm512_maddubs_epi16(_mm512_xor_si512(v, sign), weights), lift);
  };
  // Packing takes 8 elements of each half in turn: this sorts them.
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  for (std::size_t i = 0; i < count; i += kLine) {
    const Halves halves{shrunk(load_half(values + i, count - i, 0)),
                        shrunk(load_half(values + i, count - i, 32))};
    store(out + i, count - i, _mm512_maskz_permutexvar_epi64(0xff, order, residues(halves, p)));
  }
}

}  // namespace fedvs::field
