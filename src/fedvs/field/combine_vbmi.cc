// out = a + c b by looking c b up, 64 at a time, in a table of 256 bytes that fits four registers:
// 7 instructions per line where products and their reduction take 17. So are all shares of models
// for T = 1.  Compiled for AVX-512 with VNNI and VBMI: no std:: here.
#include "fedvs/field/lines_avx512.h"
#include "fedvs/field/residues_vnni.h"

namespace fedvs::field {
namespace {

struct Table {
  __m512i part[4];
};

// Entry x is prime - c x mod prime, in [1, prime]; entries from prime on are never looked up.
inline Table negated_products(const ByteCombination& job, std::size_t output) {
  const PrimeVectors prime(job.prime);
  const __m512i factor = _mm512_set1_epi16(job.factor[output][1]);
  const __m512i offset = _mm512_set1_epi16(static_cast<short>(job.offset[output]));
  const __m512i zero = _mm512_setzero_si512();
  const __m512i negate = _mm512_set1_epi8(static_cast<char>(job.prime.prime));
  alignas(64) std::uint8_t x[4 * kLine];
  for (unsigned i = 0; i < 4 * kLine; ++i) x[i] = static_cast<std::uint8_t>(i);
  Table table;
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512i bytes = _mm512_load_si512(x + i * kLine);
    const __m512i low = _mm512_mullo_epi16(_mm512_unpacklo_epi8(bytes, zero), factor);
    const __m512i high = _mm512_mullo_epi16(_mm512_unpackhi_epi8(bytes, zero), factor);
    const Halves sums{_mm512_add_epi16(low, offset), _mm512_add_epi16(high, offset)};
    table.part[i] = _mm512_sub_epi8(negate, residues(sums, prime));
  }
  return table;
}

inline __m512i look_up(const Table& table, __m512i x) {
  const __m512i low = _mm512_permutex2var_epi8(table.part[0], x, table.part[1]);
  const __m512i high = _mm512_permutex2var_epi8(table.part[2], x, table.part[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}

void combine_one(const ByteCombination& job, std::size_t output) {
  const Table table = negated_products(job, output);
  const __m512i prime = _mm512_set1_epi8(static_cast<char>(job.prime.prime));
  const std::uint8_t *first = job.input[0], *second = job.input[1];
  std::uint8_t* out = job.output[output];
  for_each_line(job, [&](std::size_t in_at, std::size_t out_at, __mmask64 mask) {
    const __m512i a = _mm512_maskz_loadu_epi8(mask, first + in_at);
    const __m512i less = look_up(table, _mm512_maskz_loadu_epi8(mask, second + in_at));
    store_bytes(out + out_at, mask, minus(a, less, prime));
  });
}

}  // namespace

void combine_bytes_vbmi(const ByteCombination& job) {
  for (std::size_t o = 0; o < job.outputs; ++o) combine_one(job, o);
}

}  // namespace fedvs::field
