#include "fedvs/field/combine_kernels.h"

#include <algorithm>
#include <array>

namespace fedvs::field {
namespace {

constexpr std::int32_t kLargestThirdByte = 7;  // of a sum below 2^19

constexpr std::int8_t balanced(std::uint32_t value, std::uint32_t prime) {
  const std::uint32_t rest = value % prime;
  return static_cast<std::int8_t>(rest > prime / 2 ? static_cast<std::int32_t>(rest - prime)
                                                   : static_cast<std::int32_t>(rest));
}

constexpr BytePrime facts(std::uint32_t prime) {
  BytePrime made{static_cast<std::uint16_t>(prime),
                 static_cast<std::uint16_t>(((1u << 23) + prime - 1) / prime),
                 {1, static_cast<std::int8_t>(256 % prime), balanced(1u << 16, prime),
                  balanced(1u << 24, prime)},
                 0,
                 static_cast<std::int32_t>(prime - (1u << 31) % prime)};
  const auto p = static_cast<std::int32_t>(prime);
  while (made.lift + kLargestThirdByte * made.weights[2] < 0) made.lift += p;
  const std::int32_t third = made.weights[2], fourth = made.weights[3];
  while (made.sign_lift + 255 * ((third < 0 ? third : 0) + (fourth < 0 ? fourth : 0)) < 0) {
    made.sign_lift += p;
  }
  return made;
}

constexpr std::uint32_t kFirst = 129, kEnd = 256;

constexpr auto kFacts = [] {
  std::array<BytePrime, kEnd - kFirst> all{};
  for (std::uint32_t p = kFirst; p < kEnd; ++p) all[p - kFirst] = facts(p);
  return all;
}();

// The claims of BytePrime for every prime: V stays below 2^15, and there magic divides exactly.
constexpr bool holds(const BytePrime& p) {
  const int third = p.weights[2] > 0 ? kLargestThirdByte * p.weights[2] : 0;
  const int largest = 255 + 255 * p.weights[1] + third + p.lift + p.prime;  // + an addend
  const std::int64_t excess = std::int64_t{p.magic} * p.prime - (1 << 23);
  return largest * excess < (1 << 23) && p.weights[1] >= 0;
}

constexpr bool all_hold() {
  for (const BytePrime& p : kFacts) {
    bool prime = true;
    for (unsigned d = 2; d * d <= p.prime; ++d) prime = prime && p.prime % d != 0;
    if (prime && !holds(p)) return false;
  }
  return true;
}
static_assert(all_hold());

}  // namespace

BytePrime byte_prime(std::uint32_t prime) {
  return prime < kFirst ? BytePrime{static_cast<std::uint16_t>(prime), 0, {1, 0, 0, 0}, 0, 0}
                        : kFacts[prime - kFirst];
}

// In local variables, which stores of bytes cannot change behind the compiler: this runs for
// every output of every combination, however short.
void set_factors(ByteCombination& job, std::size_t o, const std::uint32_t* factors) {
  const std::int32_t p = job.prime.prime, half = p / 2;
  const std::size_t inputs = job.inputs;
  std::int32_t below_zero = 0;
  std::int8_t made[kTermsAtOnce] = {};
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto value = static_cast<std::int32_t>(factors[i]);
    const std::int32_t balanced = value > half ? value - p : value;
    below_zero += std::min(balanced, 0);
    made[i] = static_cast<std::int8_t>(balanced);
  }
  std::copy_n(made, kTermsAtOnce, job.factor[o]);
  job.offset[o] = -below_zero * p;
}

bool is_small_pair(const ByteCombination& job) {
  constexpr int kLargest = 130;  // 130 * 251 < 2^15
  if (job.inputs > 2) return false;
  for (std::size_t o = 0; o < job.outputs; ++o) {
    const int a = job.factor[o][0], b = job.factor[o][1];
    if ((a < 0 ? -a : a) + (b < 0 ? -b : b) > kLargest) return false;
  }
  return true;
}

bool is_one_plus_product(const ByteCombination& job) {
  if (job.inputs != 2 || job.add || job.stream) return false;
  for (std::size_t o = 0; o < job.outputs; ++o) {
    if (job.factor[o][0] != 1) return false;
  }
  return true;
}

void set_factors(WordCombination& job, std::size_t o, const std::uint32_t* factors) {
  std::copy_n(factors, job.inputs, job.factor[o]);
}

}  // namespace fedvs::field
