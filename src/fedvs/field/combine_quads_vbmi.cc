// Sums of many inputs, reduced as in byte_lookup.h: 12 multiplications per line for 8 inputs where
// combine_vnni.cc takes 16, and multiplications are what bounds both.
// Compiled for AVX-512 with VNNI and VBMI: no std:: here.
#include "fedvs/field/byte_lookup.h"
#include "fedvs/field/quads_vnni.h"
#include "fedvs/field/residues_vnni.h"

namespace fedvs::field {
namespace {

// The upper bytes of v[0] .. v[3], those of v[0] uppermost: three instructions, for ports that
// multiplications leave free (as vpermi2b is not on Zen 4).
inline __m512i upper_bytes(const __m512i v[4]) {
  const __m512i upper =
      _mm512_broadcast_i32x4(_mm_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15));
  const __m512i two = _mm512_mask_shuffle_epi8(v[0], 0x4444444444444444, v[1], upper);
  const __m512i three = _mm512_mask_shuffle_epi8(two, 0x2222222222222222, v[2], upper);
  return _mm512_mask_shuffle_epi8(three, 0x1111111111111111, v[3], upper);
}

// Of each 128-bit lane, the order that interleave() and upper_bytes() together turn back.
inline __m512i arranged(__m512i line) {
  const __m512i order =
      _mm512_broadcast_i32x4(_mm_setr_epi8(3, 7, 11, 15, 2, 6, 10, 14, 1, 5, 9, 13, 0, 4, 8, 12));
  return _mm512_shuffle_epi8(line, order);
}

// Factors times the scale of ByteLookup, balanced again; two outputs' at a time.
inline __m256i scaled(__m256i factors, const PrimeVectors& p, std::int32_t scale) {
  const __m512i lift = _mm512_slli_epi16(p.prime, 6);  // products are above -125^2
  const __m512i products = _mm512_mullo_epi16(_mm512_cvtepi8_epi16(factors),
                                              _mm512_set1_epi16(static_cast<short>(scale)));
  const __m512i rest = remainder16(_mm512_add_epi16(products, lift), p);
  const __mmask32 upper = _mm512_cmpgt_epi16_mask(rest, _mm512_srli_epi16(p.prime, 1));
  return _mm512_cvtepi16_epi8(_mm512_mask_sub_epi16(rest, upper, rest, p.prime));
}

// One offset for all: with it sums are below 2^20.
inline ByteCombination scaled(const ByteCombination& job, std::int32_t scale) {
  ByteCombination made = job;
  const PrimeVectors prime(job.prime);
  const int p = job.prime.prime, most_negative = static_cast<int>(job.inputs) * (p / 2);
  for (std::size_t o = 0; o < job.outputs; o += 2) {
    auto* two = reinterpret_cast<__m256i_u*>(made.factor[o]);
    _mm256_storeu_si256(two, scaled(_mm256_loadu_si256(two), prime, scale));
    made.offset[o] = made.offset[o + 1] = most_negative * p;
  }
  return made;
}

}  // namespace

void combine_bytes_quads_vbmi(const ByteCombination& job) {
  const ByteLookup& lookup = byte_lookup(job.prime.prime);
  const ByteCombination scaled_job = scaled(job, lookup.scale);
  const __m512i less_low = _mm512_load_si512(lookup.less);
  const __m512i less_high = _mm512_load_si512(lookup.less + kLine);
  const __m512i spread = _mm512_set1_epi32(static_cast<int>(lookup.spread));
  const __m512i prime = _mm512_set1_epi8(static_cast<char>(job.prime.prime));
  const auto arrange = [](__m512i line) { return arranged(line); };
  for_each_sum(scaled_job, arrange, [&](std::uint8_t* out, __mmask64 mask, const __m512i sums[4]) {
    __m512i products[4];
    for (int j = 0; j < 4; ++j) products[j] = _mm512_mullo_epi32(sums[j], spread);
    const __m512i t = upper_bytes(products);
    // The look-up takes 7 bits of each byte: what the shift brings into the eighth does not matter.
    const __m512i half = _mm512_srli_epi16(t, 1);
    __m512i line = _mm512_sub_epi8(t, _mm512_permutex2var_epi8(less_low, half, less_high));
    if (job.add) {
      const __m512i addend = _mm512_maskz_loadu_epi8(mask, out);
      line = minus(line, _mm512_sub_epi8(prime, addend), prime);
    }
    store_line(job, out, mask, line);
  });
  if (job.stream) _mm_sfence();
}

}  // namespace fedvs::field
