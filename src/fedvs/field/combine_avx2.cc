// AVX2: without a product of four bytes, inputs are interleaved in quads and kept as pairs of
// 16-bit integers; one vpmaddwd makes two products.  Compiled for that instruction set: no std::
// here.
#include <immintrin.h>

#include "fedvs/field/combine_kernels.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kLine = 32;

struct Quad {  // 32 elements of four inputs: [j] holds elements 4j .. 4j+3 of each 128-bit lane
  __m256i even[4], odd[4];  // inputs 0 and 2, inputs 1 and 3, as 16-bit integers
};

struct PrimeVectors {
  explicit PrimeVectors(const BytePrime& p)
      : prime(_mm256_set1_epi16(static_cast<short>(p.prime))),
        magic(_mm256_set1_epi16(static_cast<short>(p.magic))),
        lift(_mm256_set1_epi32(p.lift)) {
    int four;
    __builtin_memcpy(&four, p.weights, 4);
    weights = _mm256_set1_epi32(four);
  }
  __m256i prime, magic, lift, weights;
};

inline __m256i load_line(const std::uint8_t* in, std::size_t count) {
  if (count >= kLine) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
  alignas(32) std::uint8_t line[kLine] = {};
  __builtin_memcpy(line, in, count);
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(line));
}

inline void store_line(std::uint8_t* out, std::size_t count, __m256i value) {
  if (count >= kLine) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), value);
  alignas(32) std::uint8_t line[kLine];
  _mm256_store_si256(reinterpret_cast<__m256i*>(line), value);
  __builtin_memcpy(out, line, count);
}

inline Quad interleave(const __m256i in[4]) {
  const __m256i ab[2] = {_mm256_unpacklo_epi8(in[0], in[1]), _mm256_unpackhi_epi8(in[0], in[1])};
  const __m256i cd[2] = {_mm256_unpacklo_epi8(in[2], in[3]), _mm256_unpackhi_epi8(in[2], in[3])};
  const __m256i low_byte = _mm256_set1_epi16(0xff);
  Quad quad;
  for (int j = 0; j < 4; ++j) {
    const __m256i bytes = j % 2 == 0 ? _mm256_unpacklo_epi16(ab[j / 2], cd[j / 2])
                                     : _mm256_unpackhi_epi16(ab[j / 2], cd[j / 2]);
    quad.even[j] = _mm256_and_si256(bytes, low_byte);
    quad.odd[j] = _mm256_srli_epi16(bytes, 8);
  }
  return quad;
}

inline void load(const ByteCombination& job, std::size_t at, std::size_t count, Quad* quads) {
  for (std::size_t first = 0; first < job.inputs; first += 4) {
    __m256i in[4];
    for (std::size_t i = 0; i < 4; ++i) {
      in[i] = first + i < job.inputs ? load_line(job.input[first + i] + at, count)
                                     : _mm256_setzero_si256();
    }
    quads[first / 4] = interleave(in);
  }
}

inline __m256i two_factors(std::int8_t low, std::int8_t high) {
  const unsigned pair = static_cast<std::uint16_t>(low) |
                        static_cast<unsigned>(static_cast<std::uint16_t>(high)) << 16;
  return _mm256_set1_epi32(static_cast<int>(pair));
}

inline void sum(const ByteCombination& job, std::size_t output, const Quad* quads,
                __m256i sums[4]) {
  for (int j = 0; j < 4; ++j) sums[j] = _mm256_set1_epi32(job.offset[output]);
  for (std::size_t first = 0; first < job.inputs; first += 4) {
    const std::int8_t* c = job.factor[output] + first;
    const __m256i even = two_factors(c[0], c[2]), odd = two_factors(c[1], c[3]);
    const Quad& quad = quads[first / 4];
    for (int j = 0; j < 4; ++j) {
      const __m256i four = _mm256_add_epi32(_mm256_madd_epi16(quad.even[j], even),
                                            _mm256_madd_epi16(quad.odd[j], odd));
      sums[j] = _mm256_add_epi32(sums[j], four);
    }
  }
}

// The first step of BytePrime. Pairs of products fit 16 bits: 255 + 255 * 127 and 7 * 125.
inline __m256i shrink(__m256i sums, const PrimeVectors& p) {
  const __m256i pairs = _mm256_maddubs_epi16(sums, p.weights);
  return _mm256_add_epi32(p.lift, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

inline __m256i remainder16(__m256i v, const PrimeVectors& p) {
  const __m256i quotient = _mm256_srli_epi16(_mm256_mulhi_epu16(v, p.magic), 7);
  return _mm256_sub_epi16(v, _mm256_mullo_epi16(quotient, p.prime));
}

struct Halves {  // 32 values below 2^15: elements 0 .. 7 and 8 .. 15 of each 128-bit lane
  __m256i low, high;
};

inline Halves shrink(const __m256i sums[4], const PrimeVectors& p) {
  return {_mm256_packus_epi32(shrink(sums[0], p), shrink(sums[1], p)),
          _mm256_packus_epi32(shrink(sums[2], p), shrink(sums[3], p))};
}

inline void finish(const ByteCombination& job, const PrimeVectors& p, std::uint8_t* out,
                   std::size_t count, Halves sums) {
  if (job.add) {
    const __m256i addend = load_line(out, count), zero = _mm256_setzero_si256();
    sums.low = _mm256_add_epi16(sums.low, _mm256_unpacklo_epi8(addend, zero));
    sums.high = _mm256_add_epi16(sums.high, _mm256_unpackhi_epi8(addend, zero));
  }
  // Never past the caches: half lines to many places at once would be written one by one.
  store_line(out, count, _mm256_packus_epi16(remainder16(sums.low, p), remainder16(sums.high, p)));
}

void combine_quads(const ByteCombination& job, const PrimeVectors& prime, std::size_t in_at,
                   std::size_t out_at, std::size_t count) {
  Quad quads[kTermsAtOnce / 4];
  load(job, in_at, count, quads);
  for (std::size_t o = 0; o < job.outputs; ++o) {
    __m256i sums[4];
    sum(job, o, quads, sums);
    finish(job, prime, job.output[o] + out_at, count, shrink(sums, prime));
  }
}

void combine_pair(const ByteCombination& job, const PrimeVectors& prime, std::size_t in_at,
                  std::size_t out_at, std::size_t count) {
  const __m256i a = load_line(job.input[0] + in_at, count);
  const __m256i b = load_line(job.input[job.inputs - 1] + in_at, count);
  const __m256i low = _mm256_unpacklo_epi8(a, b), high = _mm256_unpackhi_epi8(a, b);
  for (std::size_t o = 0; o < job.outputs; ++o) {
    short two;
    __builtin_memcpy(&two, job.factor[o], 2);
    const __m256i factors = _mm256_set1_epi16(two);
    const __m256i offset = _mm256_set1_epi16(static_cast<short>(job.offset[o]));
    finish(job, prime, job.output[o] + out_at, count,
           {_mm256_add_epi16(_mm256_maddubs_epi16(low, factors), offset),
            _mm256_add_epi16(_mm256_maddubs_epi16(high, factors), offset)});
  }
}

}  // namespace

void combine_bytes_avx2(const ByteCombination& job) {
  const PrimeVectors prime(job.prime);
  const auto combine_line = is_small_pair(job) ? &combine_pair : &combine_quads;
  for (std::size_t r = 0; r < job.rows; ++r) {
    for (std::size_t e = 0; e < job.cols; e += kLine) {
      combine_line(job, prime, r * job.input_stride + e, r * job.output_stride + e, job.cols - e);
    }
  }
}

}  // namespace fedvs::field
