// N = 3, K = T = 1, p = 5: R = 3, so the server may hold all uploads. The three uploads of one
// entry are one of 125 vectors; a distribution is how many masks give each. Where independent
// things are added, their counts are convolved, which is the same as counting all their masks,
// exactly.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "fedvs/coding/seeded_mask.h"
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

inline const coding::SeededMasks& seeded_masks() {  // three sets of one client, one term each
  static const coding::SeededMasks made(code(),
                                        coding::find_family(code().ring(), code().shape()).value());
  return made;
}

// The masks of the three uploads, by index, if the terms of the three sets have these values: as
// combined by what ships, of all 125 values at once.
inline std::size_t mask_by_seeds(std::size_t terms) {
  static const std::vector<std::size_t> table = [] {
    const auto draw = [](std::size_t set, int, field::RingMatrix& out) {
      for (std::size_t c = 0; c < kUploads; ++c) out.set(0, 0, c, from_index(c, 3, kPrime)[set]);
    };
    std::vector<field::RingMatrix> masks;
    for (int m = 0; m < kParties; ++m) {
      masks.push_back(seeded_masks().share_of(draw, m, 1, kUploads));
    }
    std::vector<std::size_t> all;
    for (std::size_t c = 0; c < kUploads; ++c) {
      all.push_back(
          to_index({masks[0].get(0, 0, c), masks[1].get(0, 0, c), masks[2].get(0, 0, c)}, kPrime));
    }
    return all;
  }();
  return table[terms];
}

inline Counts masks_by_seeds() {
  Counts counts(kUploads, 0);
  for (std::size_t terms = 0; terms < kUploads; ++terms) ++counts[mask_by_seeds(terms)];
  return counts;
}

}  // namespace fedvs::testing
