// Kernels of combine(): one plane of a combination as raw pointers, so that files compiled for one
// instruction set need nothing else.
//   output[o][r][e] = (add ? output[o][r][e] : 0) + sum_i factor[o][i] * input[i][r][e]  mod prime
// An output may be one of the inputs where there is one output: a stretch is read before written.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fedvs::field {

inline constexpr std::size_t kTermsAtOnce = 16;    // longer sums are added up in passes
inline constexpr std::size_t kOutputsAtOnce = 32;  // so that a Combination fits the stack

// What vector kernels need to know of a byte prime above 128.  Three steps reduce a sum S < 2^19:
//   V = b0 + b1 weights[1] + b2 weights[2] + lift,  b0 b1 b2 the bytes of S:  0 <= V < 2^15
//   q = V * magic >> 23 = V / prime exactly, since magic = ceil(2^23 / prime)
//   S mod prime = V - q * prime
struct BytePrime {
  std::uint16_t prime, magic;
  std::int8_t weights[4];  // 2^0, 2^8, 2^16, 2^24 mod prime, balanced
  std::int32_t lift;       // a multiple of prime that makes V non-negative
  // Congruent to -2^31; makes the weighted sum of four bytes of v + 2^31 non-negative (< 2^18).
  std::int32_t sign_lift;
};
// Does not hold for primes below 128; their kernel is the portable one.
BytePrime byte_prime(std::uint32_t prime);

template <class Word>
struct Combination {
  std::size_t rows, cols, input_stride, output_stride;
  std::size_t inputs, outputs;  // at most kTermsAtOnce, kOutputsAtOnce
  bool add;
  bool stream;  // may be written past the caches: all of the outputs is whole lines
  const Word* input[kTermsAtOnce];
  Word* output[kOutputsAtOnce];
};

struct ByteCombination : Combination<std::uint8_t> {
  BytePrime prime;
  // In (-prime/2, prime/2), zero past `inputs`: products of u8 by s8, whose sums are below 2^19.
  alignas(4) std::int8_t factor[kOutputsAtOnce][kTermsAtOnce];
  std::int32_t offset[kOutputsAtOnce];  // a multiple of the prime that makes the sum non-negative
};
// Output o takes these factors, one per input, each in [0, prime); prime and inputs are set before.
void set_factors(ByteCombination& job, std::size_t o, const std::uint32_t* factors);
void combine_bytes_portable(const ByteCombination& job);
void combine_bytes_avx2(const ByteCombination& job);
void combine_bytes_vnni(const ByteCombination& job);
// At most two inputs whose factors are small together: their sums fit 16 bits, so the first step of
// BytePrime falls away. Shares of models are of this kind: the weights' own factor is 1.
bool is_small_pair(const ByteCombination& job);
void combine_bytes_quads_vbmi(const ByteCombination& job);  // any number of inputs
// Where is_one_plus_product(): two inputs, the first of factor 1, and nothing to add to.
void combine_bytes_vbmi(const ByteCombination& job);
bool is_one_plus_product(const ByteCombination& job);

struct WordCombination : Combination<std::uint32_t> {  // the prime is 2^31 - 1
  std::uint32_t factor[kOutputsAtOnce][kTermsAtOnce];
};
void set_factors(WordCombination& job, std::size_t o, const std::uint32_t* factors);
void combine_m31_portable(const WordCombination& job);
void combine_m31_avx2(const WordCombination& job);
void combine_m31_avx512(const WordCombination& job);

}  // namespace fedvs::field
