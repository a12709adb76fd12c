#include "fedvs/coding/seeded_mask.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fedvs/coding/opening.h"

namespace fedvs::coding {
namespace {

using field::Residue;
using field::RingMatrix;

constexpr std::size_t kRows = 3, kCols = 5;
const Digest kPlan{1, 2, 3};

struct World {
  LagrangeCode code;
  SeededMasks masks;
  std::vector<Seed> seeds;
};

World world(const char* ring_name, const Shape& shape) {
  const auto ring = field::Ring::create(ring_name).value();
  auto code = LagrangeCode::create(ring, shape).value();
  SeededMasks masks(code, find_family(ring, shape).value());
  std::vector<Seed> seeds(masks.family().sets.size());
  Prng random(Key256{7});
  for (Seed& seed : seeds) random.fill(seed);
  return {std::move(code), std::move(masks), std::move(seeds)};
}

std::vector<World> worlds() {
  std::vector<World> all;
  for (const char* ring : {"m31", "rns4"}) {
    for (const Shape& shape : {Shape{3, 1, 1}, Shape{9, 4, 1}, Shape{9, 3, 2}, Shape{11, 2, 3}}) {
      all.push_back(world(ring, shape));
    }
  }
  return all;
}

RingMatrix share(const World& w, int party, const Digest& d = kPlan) {
  return w.masks.share(w.seeds, d, party, kRows, kCols);
}

// z(alpha_m) sum over A, j of prod_{a in A} (alpha_m - alpha_a) alpha_m^j q_Aj: all sets, also
// those whose product is zero.
RingMatrix by_definition(const World& w, int party) {
  const field::Ring& ring = w.code.ring();
  RingMatrix sum(ring, kRows, kCols), term(ring, kRows, kCols);
  for (std::size_t set = 0; set < w.seeds.size(); ++set) {
    for (int j = 0; j < w.masks.family().terms; ++j) {
      draw_term(w.seeds[set], kPlan, j, term);
      for (int plane = 0; plane < ring.planes(); ++plane) {
        const std::uint32_t p = ring.prime(plane);
        const Residue x = w.code.alpha(party);
        Residue factor = field::power(x, static_cast<std::uint64_t>(j), p);
        for (int k = 0; k < w.code.shape().blocks; ++k) {
          factor = field::multiply(factor, field::subtract(x, w.code.beta(k), p), p);
        }
        for (int a : w.masks.family().sets[set]) {
          factor = field::multiply(factor, field::subtract(x, w.code.alpha(a), p), p);
        }
        for (std::size_t i = 0; i < kRows * kCols; ++i) {
          const std::size_t r = i / kCols, c = i % kCols;
          const Residue value = field::multiply(factor, term.get(plane, r, c), p);
          sum.set(plane, r, c, field::add(sum.get(plane, r, c), value, p));
        }
      }
    }
  }
  return sum;
}

TEST(SeededMasks, AreWhatTheDefinitionSaysTermByTerm) {
  for (const World& w : worlds()) {
    for (int party = 0; party < w.code.shape().parties; ++party) {
      EXPECT_EQ(share(w, party), by_definition(w, party));
    }
  }
}

TEST(SeededMasks, OfAllPartiesLieOnOnePolynomialThatIsZeroAtEveryBeta) {
  for (const World& w : worlds()) {
    std::vector<RingMatrix> values;
    std::vector<Share> shares;
    for (int party = 0; party < w.code.shape().parties; ++party) values.push_back(share(w, party));
    for (int party = 0; party < w.code.shape().parties; ++party) {
      shares.push_back({party, &values[static_cast<std::size_t>(party)]});
    }
    const auto segments = open(w.code, shares).value();
    for (const RingMatrix& segment : segments) {
      EXPECT_EQ(segment, RingMatrix(w.code.ring(), kRows, kCols));
    }
    for (const Share& one : shares) EXPECT_TRUE(consistent(w.code, shares, one));
    EXPECT_FALSE(values[0] == RingMatrix(w.code.ring(), kRows, kCols));
  }
}

TEST(SeededMasks, SummedOnceAndEvaluatedAreWhatEveryPartyMakesAlone) {
  for (const World& w : worlds()) {
    const auto coefficients = w.masks.coefficients(w.seeds, kPlan, kRows, kCols);
    std::vector<const RingMatrix*> terms;
    for (const RingMatrix& one : coefficients) terms.push_back(&one);
    const auto values = field::combine(w.code.mask_matrix(), terms);
    for (int party = 0; party < w.code.shape().parties; ++party) {
      EXPECT_EQ(values[static_cast<std::size_t>(party)], share(w, party));
    }
  }
}

TEST(SeededMasks, AreTheSameForOnePlanAndOthersForAnother) {
  const World w = world("rns4", {9, 3, 2});
  Digest other = kPlan;
  other.back() ^= 1;
  EXPECT_EQ(share(w, 2), share(w, 2));
  EXPECT_EQ(share(w, 2), world("rns4", {9, 3, 2}).masks.share(w.seeds, kPlan, 2, kRows, kCols));
  EXPECT_FALSE(share(w, 2) == share(w, 2, other));
}

TEST(SeededMasks, DependOnExactlyTheSeedsOfTheSetsThatAPartyIsOutsideOf) {
  for (const World& w : worlds()) {
    for (std::size_t set = 0; set < w.seeds.size(); ++set) {
      World changed = w;
      changed.seeds[set][31] ^= 1;
      for (int party = 0; party < w.code.shape().parties; ++party) {
        EXPECT_EQ(share(changed, party) == share(w, party), w.masks.family().contains(set, party));
      }
    }
  }
}

TEST(SeededMasks, KeepTheirBytesFromVersionToVersion) {
  const World w = world("rns4", {9, 4, 1});
  const World big = world("m31", {9, 3, 2});
  EXPECT_EQ(to_hex(Hasher().add(share(w, 0).bytes()).finish()).substr(0, 16), "6e4b9f8823fe4a53");
  EXPECT_EQ(to_hex(Hasher().add(share(big, 8).bytes()).finish()).substr(0, 16), "f52d8883e3e11ca5");
}

}  // namespace
}  // namespace fedvs::coding
