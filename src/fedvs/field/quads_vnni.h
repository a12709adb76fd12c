// Sums of many inputs: four are interleaved byte by byte, once for all outputs; one vpdpbusd then
// adds four products to each of 16 sums.
// Only for files compiled for AVX-512 with VNNI; everything is local to the file that includes it.
#pragma once
#include "fedvs/field/lines_avx512.h"

namespace fedvs::field {
namespace {

// Four lines of inputs as 4 x 16 quads; quads[j] holds elements 4j .. 4j+3 of each 128-bit lane.
inline void interleave(const __m512i in[4], __m512i quads[4]) {
  const __m512i ab_low = _mm512_unpacklo_epi8(in[0], in[1]);
  const __m512i ab_high = _mm512_unpackhi_epi8(in[0], in[1]);
  const __m512i cd_low = _mm512_unpacklo_epi8(in[2], in[3]);
  const __m512i cd_high = _mm512_unpackhi_epi8(in[2], in[3]);
  quads[0] = _mm512_unpacklo_epi16(ab_low, cd_low);
  quads[1] = _mm512_unpackhi_epi16(ab_low, cd_low);
  quads[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
  quads[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
}

template <int Quads, class Arrange>
inline void load(const ByteCombination& job, std::size_t at, __mmask64 mask, const Arrange& arrange,
                 __m512i quads[Quads][4]) {
#pragma GCC unroll 4
  for (int q = 0; q < Quads; ++q) {
    __m512i in[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const bool last_quad = q == Quads - 1;
      const std::size_t term = static_cast<std::size_t>(4 * q + i);
      in[i] = last_quad && term >= job.inputs
                  ? _mm512_setzero_si512()
                  : arrange(_mm512_maskz_loadu_epi8(mask, job.input[term] + at));
    }
    interleave(in, quads[q]);
  }
}

template <int Quads>
inline void sum(const ByteCombination& job, std::size_t output, const __m512i quads[Quads][4],
                __m512i sums[4]) {
  const __m512i offset = _mm512_set1_epi32(job.offset[output]);
  for (int j = 0; j < 4; ++j) sums[j] = offset;
#pragma GCC unroll 4
  for (int q = 0; q < Quads; ++q) {
    std::int32_t four;
    __builtin_memcpy(&four, job.factor[output] + 4 * q, 4);
    const __m512i factors = _mm512_set1_epi32(four);
    for (int j = 0; j < 4; ++j) sums[j] = _mm512_dpbusd_epi32(sums[j], quads[q][j], factors);
  }
}

// Calls finish(out, mask, sums) for every line of every output; sums[j] are of elements as in
// quads[j]. arrange(line) may put the elements of an input into another order.
template <int Quads, class Arrange, class Finish>
inline void combine_quads(const ByteCombination& job, const Arrange& arrange,
                          const Finish& finish) {
  for_each_line(job, [&](std::size_t in_at, std::size_t out_at, __mmask64 mask) {
    __m512i quads[Quads][4];
    load<Quads>(job, in_at, mask, arrange, quads);
    for (std::size_t o = 0; o < job.outputs; ++o) {
      __m512i sums[4];
      sum<Quads>(job, o, quads, sums);
      finish(job.output[o] + out_at, mask, sums);
    }
  });
}

template <class Arrange, class Finish>
inline void for_each_sum(const ByteCombination& job, const Arrange& arrange, const Finish& finish) {
  switch ((job.inputs + 3) / 4) {
    case 1:
      return combine_quads<1>(job, arrange, finish);
    case 2:
      return combine_quads<2>(job, arrange, finish);
    case 3:
      return combine_quads<3>(job, arrange, finish);
    default:
      return combine_quads<4>(job, arrange, finish);
  }
}

inline void store_line(const ByteCombination& job, std::uint8_t* out, __mmask64 mask,
                       __m512i line) {
  if (job.stream) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(out), line);
  } else {
    store_bytes(out, mask, line);
  }
}

}  // namespace
}  // namespace fedvs::field
