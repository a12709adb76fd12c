// Masks by seeds, by enumeration over a tiny prime. The pseudorandom terms q_Aj are replaced by
// every value that they can have, one column of the mask each; what combines them is what ships.
// T clients S with the server know the terms of all sets that do not contain all of S, and see the
// masks of all N uploads (more than the server does: uploads are masks plus something). Claim:
// given the terms that they know, the masks are uniform on all z(x) r(x), deg r <= K+2T-2, that
// have S's own values at the alphas of S.
#include <gtest/gtest.h>

#include <map>

#include "fedvs/coding/seeded_mask.h"
#include "tests/coding/tiny_code.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::seeded;
using fedvs::testing::shares;
using fedvs::testing::tiny_code;
using fedvs::testing::Values;
using field::Residue;
using field::RingMatrix;

constexpr std::uint32_t kPrime = 11;
using Counts = std::map<Values, std::size_t>;  // how many values of the terms give these masks

std::size_t power(std::size_t base, std::size_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

struct World {
  LagrangeCode code;
  SeededMasks masks;

  World(const Shape& shape, MaskFamily family)
      : code(tiny_code(kPrime, shape)), masks(code, std::move(family)) {}
  std::size_t term_count() const {
    return masks.family().sets.size() * static_cast<std::size_t>(masks.family().terms);
  }
  std::size_t place(std::size_t set, int term) const {
    return set * static_cast<std::size_t>(masks.family().terms) + static_cast<std::size_t>(term);
  }
  // Somebody of S is outside of the set, and so knows its seed.
  bool known(std::size_t set, const Subset& coalition) const {
    return !includes(masks.family().sets[set], coalition);
  }
};

// The masks of all N parties: known terms as given, all values of the others.
Counts views(const World& world, const Subset& coalition, const Values& known) {
  std::map<std::size_t, std::size_t> step;  // of an unknown term: how often it stays the same
  std::size_t cases = 1;
  for (std::size_t set = 0; set < world.masks.family().sets.size(); ++set) {
    if (world.known(set, coalition)) continue;
    for (int j = 0; j < world.masks.family().terms; ++j, cases *= kPrime) {
      step[world.place(set, j)] = cases;
    }
  }
  const SeededMasks::Draw draw = [&](std::size_t set, int j, RingMatrix& out) {
    const auto unknown = step.find(world.place(set, j));
    for (std::size_t c = 0; c < cases; ++c) {
      out.set(0, 0, c,
              unknown == step.end() ? known[world.place(set, j)]
                                    : static_cast<Residue>(c / unknown->second % kPrime));
    }
  };
  std::vector<Values> columns(cases);
  for (int party = 0; party < world.code.shape().parties; ++party) {
    const RingMatrix mask = world.masks.share_of(draw, party, 1, cases);
    for (std::size_t c = 0; c < cases; ++c) columns[c].push_back(mask.get(0, 0, c));
  }
  Counts counts;
  for (const Values& column : columns) ++counts[column];
  return counts;
}

// All z(x) r(x) at the N alphas that agree with `own` at those of the coalition.
Counts zero_masks(const World& world, const Subset& coalition, const Values& own) {
  const auto coefficients = static_cast<std::size_t>(world.code.mask_matrix().inputs());
  Counts counts;
  for (std::size_t index = 0; index < power(kPrime, coefficients); ++index) {
    const Values mask =
        shares(world.code, Polynomial::kMask, testing::from_index(index, coefficients, kPrime));
    bool agrees = true;
    for (int s : coalition) {
      agrees &= mask[static_cast<std::size_t>(s)] == own[static_cast<std::size_t>(s)];
    }
    if (agrees) ++counts[mask];
  }
  return counts;
}

bool uniform_on(const Counts& seen, const Counts& all) {
  const std::size_t each = seen.begin()->second;
  return seen.size() == all.size() && std::ranges::all_of(seen, [&](const auto& view) {
           return view.second == each && all.contains(view.first);
         });
}

bool uniform_for(const World& world, const Subset& coalition, const Values& known) {
  const Counts seen = views(world, coalition, known);
  return uniform_on(seen, zero_masks(world, coalition, seen.begin()->first));
}

Values drawn_terms(const World& world, std::uint64_t seed) {
  std::vector<std::uint8_t> bytes(world.term_count());
  seeded(seed).fill_uniform(bytes, kPrime);
  return Values(bytes.begin(), bytes.end());
}

// Terms that are known only shift what is seen; a few values of them stand for all.
bool uniform_for_all(const World& world) {
  Subset coalition = first_subset(world.code.shape().colluding);
  do {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      if (!uniform_for(world, coalition, drawn_terms(world, seed))) return false;
    }
  } while (next_subset(coalition, world.code.shape().parties));
  return true;
}

MaskFamily family_of(const Shape& shape) {
  return find_family(field::Ring::of_primes("tiny", {kPrime}), shape).value();
}

const std::vector<Shape> kShapes{{3, 1, 1}, {4, 1, 1}, {5, 2, 1}, {6, 2, 1}, {5, 1, 2}, {6, 1, 2}};

TEST(SeededMaskPrivacy, AnyTColludersAndTheServerSeeAUniformZeroMask) {
  for (const Shape& shape : kShapes) EXPECT_TRUE(uniform_for_all({shape, family_of(shape)}));
}

TEST(SeededMaskPrivacy, AllSubsetsOfTClientsHideAsWell) {
  for (const Shape& shape : {Shape{5, 2, 1}, Shape{5, 1, 2}}) {
    EXPECT_TRUE(uniform_for_all({shape, all_subsets(shape)}));
  }
}

TEST(SeededMaskPrivacy, WhatOneColluderKnowsShiftsTheMasksWhateverItsValue) {
  // Given N = 3, K = T = 1: three sets of one term, all 11^3 values of them.
  const World world({3, 1, 1}, family_of({3, 1, 1}));
  for (int colluder = 0; colluder < 3; ++colluder) {
    for (std::size_t known = 0; known < power(kPrime, 3); ++known) {
      EXPECT_TRUE(uniform_for(world, {colluder}, testing::from_index(known, 3, kPrime)));
    }
  }
}

TEST(SeededMaskPrivacy, WithOneSetLessSomeColluderSeesMore) {
  for (const Shape& shape : {Shape{3, 1, 1}, Shape{5, 2, 1}}) {
    const MaskFamily whole = family_of(shape);
    for (std::size_t missing = 0; missing < whole.sets.size(); ++missing) {
      MaskFamily family = whole;
      family.sets.erase(family.sets.begin() + static_cast<std::ptrdiff_t>(missing));
      EXPECT_FALSE(uniform_for_all({shape, family}));
    }
  }
}

TEST(SeededMaskPrivacy, IsWhatTheCheckOfSpansSays) {
  // Given families of N = 5, K = 1, T = 2 that lose one set after another,
  const Shape shape{5, 1, 2};
  const auto ring = field::Ring::of_primes("tiny", {kPrime});
  MaskFamily family = family_of(shape);
  std::size_t safe = 0, unsafe = 0;
  for (; family.sets.size() > 3; family.sets.pop_back()) {
    // then the check and the enumeration agree on each.
    const bool spans = check_spans(ring, shape, family).has_value();
    EXPECT_EQ(spans, uniform_for_all({shape, family}));
    ++(spans ? safe : unsafe);
  }
  EXPECT_GT(safe, 0u);
  EXPECT_GT(unsafe, 0u);
}

}  // namespace
}  // namespace fedvs::coding
