// AVX-512 with VNNI: sums by vpdpbusd, reduced by the three steps of BytePrime.
// Compiled for that instruction set: no std:: here.
#include "fedvs/field/quads_vnni.h"
#include "fedvs/field/residues_vnni.h"

namespace fedvs::field {
namespace {

inline void finish(const ByteCombination& job, const PrimeVectors& prime, std::uint8_t* out,
                   __mmask64 mask, Halves sums) {
  if (job.add) sums = plus(sums, _mm512_maskz_loadu_epi8(mask, out));
  store_line(job, out, mask, residues(sums, prime));
}

void combine_pair(const ByteCombination& job, std::size_t output) {
  const PrimeVectors prime(job.prime);
  short two;
  __builtin_memcpy(&two, job.factor[output], 2);
  const __m512i factors = _mm512_set1_epi16(two);
  const __m512i offset = _mm512_set1_epi16(static_cast<short>(job.offset[output]));
  const std::uint8_t *first = job.input[0], *second = job.input[job.inputs - 1];
  std::uint8_t* out = job.output[output];
  for_each_line(job, [&](std::size_t in_at, std::size_t out_at, __mmask64 mask) {
    const __m512i a = _mm512_maskz_loadu_epi8(mask, first + in_at);
    const __m512i b = _mm512_maskz_loadu_epi8(mask, second + in_at);
    const __m512i low = _mm512_maddubs_epi16(_mm512_unpacklo_epi8(a, b), factors);
    const __m512i high = _mm512_maddubs_epi16(_mm512_unpackhi_epi8(a, b), factors);
    finish(job, prime, out + out_at, mask,
           {_mm512_add_epi16(low, offset), _mm512_add_epi16(high, offset)});
  });
}

void combine_pairs(const ByteCombination& job) {
  for (std::size_t o = 0; o < job.outputs; ++o) combine_pair(job, o);
}

void combine_many(const ByteCombination& job) {
  const PrimeVectors prime(job.prime);
  const auto as_is = [](__m512i line) { return line; };
  for_each_sum(job, as_is, [&](std::uint8_t* out, __mmask64 mask, const __m512i sums[4]) {
    finish(job, prime, out, mask, shrink(sums, prime));
  });
}

}  // namespace

void combine_bytes_vnni(const ByteCombination& job) {
  is_small_pair(job) ? combine_pairs(job) : combine_many(job);
  if (job.stream) _mm_sfence();
}

}  // namespace fedvs::field
