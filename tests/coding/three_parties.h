// N = 3, K = T = 1, p = 5: R = 3, so the server may hold all uploads. The three uploads of one
// entry are one of 125 vectors; a distribution is how many masks give each. Where independent
// things are added, their counts are convolved, which is the same as counting all their masks,
// exactly.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/coding/tiny_code.h"

namespace fedvs::testing {

constexpr std::size_t kPrime = 5, kPairs = 25, kUploads = 125;  // p, p^2, p^3: all three uploads
constexpr int kParties = 3;
using Counts = std::vector<std::uint64_t>;  // how many masks give each of the kUploads views
using Support = std::vector<std::pair<std::size_t, std::uint64_t>>;  // its non-zero counts

inline const coding::LagrangeCode& code() {
  static const coding::LagrangeCode made = tiny_code(kPrime, {kParties, 1, 1});
  return made;
}

// Sums of upload vectors, by index.
inline std::size_t add(std::size_t a, std::size_t b) {
  static const std::vector<std::size_t> table = [] {
    std::vector<std::size_t> sums;
    for (std::size_t i = 0; i < kUploads * kUploads; ++i) {
      const Values left = from_index(i / kUploads, 3, kPrime),
                   right = from_index(i % kUploads, 3, kPrime);
      sums.push_back(to_index(plus(left, right, kPrime), kPrime));
    }
    return sums;
  }();
  return table[a * kUploads + b];
}

inline std::size_t negative(std::size_t a) {
  Values values = from_index(a, 3, kPrime);
  for (field::Residue& value : values) value = field::subtract(0, value, kPrime);
  return to_index(values, kPrime);
}

inline Counts convolve(const Counts& a, const Counts& b) {
  Counts sum(kUploads, 0);
  for (std::size_t i = 0; i < kUploads; ++i) {
    for (std::size_t j = 0; j < kUploads; ++j) sum[add(i, j)] += a[i] * b[j];
  }
  return sum;
}

inline Support support(const Counts& counts) {
  Support kept;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) kept.emplace_back(i, counts[i]);
  }
  return kept;
}

inline Values zero_mask(std::size_t coefficients) {
  return shares(code().mask_matrix(), from_index(coefficients, 2, kPrime));
}

inline Counts two_dealers() {
  Counts one(kUploads, 0);
  for (std::size_t c = 0; c < kPairs; ++c) ++one[to_index(zero_mask(c), kPrime)];
  return convolve(one, one);
}

}  // namespace fedvs::testing
