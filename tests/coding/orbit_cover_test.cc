#include "fedvs/coding/orbit_cover.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fedvs::coding {
namespace {

TEST(OrbitCover, HasEveryTSubsetInAsManyDifferentSetsAsAskedFor) {
  for (const CoverShape& shape : {CoverShape{28, 2, 6, 5}, CoverShape{28, 2, 3, 2},
                                  CoverShape{13, 3, 6, 4}, CoverShape{14, 4, 8, 5}}) {
    // Given all rotations of the blocks, each set once,
    std::set<Subset> sets;
    for (const Subset& block : OrbitCover(shape, PublicRandom(1)).blocks()) {
      ASSERT_EQ(block.size(), static_cast<std::size_t>(shape.size));
      for (int by = 0; by < shape.parties; ++by) sets.insert(rotated(block, by, shape.parties));
    }
    // then every T-subset is in at least d of them, and they are not twice as many as must be.
    Subset subset = first_subset(shape.colluding);
    do {
      ASSERT_GE(std::ranges::count_if(sets, [&](const auto& s) { return includes(s, subset); }),
                shape.times);
    } while (next_subset(subset, shape.parties));
    EXPECT_LT(
        sets.size() * binomial(shape.size, shape.colluding),
        2 * binomial(shape.parties, shape.colluding) * static_cast<std::uint64_t>(shape.times));
  }
}

TEST(OrbitCover, BreaksTiesByPublicRandomnessAlone) {
  const CoverShape shape{28, 2, 6, 5};
  EXPECT_EQ(OrbitCover(shape, PublicRandom(1)).blocks(),
            OrbitCover(shape, PublicRandom(1)).blocks());
  EXPECT_NE(OrbitCover(shape, PublicRandom(1)).blocks(),
            OrbitCover(shape, PublicRandom(2)).blocks());
}

TEST(Subsets, AreVisitedInOrderAndNumberedWithoutGaps) {
  const SubsetIndex index(9, 4);
  std::set<std::uint32_t> places;
  Subset subset = first_subset(4), before;
  do {
    EXPECT_LT(before, subset);
    std::uint32_t place = 0;
    for (int i = 0; i < 4; ++i) place += index.part(i, subset[static_cast<std::size_t>(i)]);
    places.insert(place);
    before = subset;
  } while (next_subset(subset, 9));
  EXPECT_EQ(places.size(), binomial(9, 4));
  EXPECT_EQ(*places.rbegin(), binomial(9, 4) - 1);
}

TEST(Subsets, AreTooManyToCountBeyondTwoToTheSixtyTwo) {
  EXPECT_EQ(binomial(28, 6), 376740u);
  EXPECT_EQ(binomial(5, 6), 0u);
  EXPECT_EQ(binomial(10000, 5000), std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace fedvs::coding
