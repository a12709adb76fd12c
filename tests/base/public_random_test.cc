#include "fedvs/base/public_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace fedvs {
namespace {

TEST(PublicRandom, IsSplitMix64) {
  // The first outputs for seed 1234567, as published with the reference implementation.
  PublicRandom random(1234567);
  EXPECT_EQ(random.next_u64(), 6457827717110365317u);
  EXPECT_EQ(random.next_u64(), 3203168211198807973u);
  EXPECT_EQ(random.next_u64(), 9817491932198370423u);
}

TEST(PublicRandom, KeyedStreamsDifferInEveryWordAndInLength) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t a = 0; a < 20; ++a) {
    firsts.insert(PublicRandom::keyed({a}).next_u64());
    for (std::uint64_t b = 0; b < 20; ++b) firsts.insert(PublicRandom::keyed({a, b}).next_u64());
  }
  EXPECT_EQ(firsts.size(), 20u + 400u);
  EXPECT_EQ(PublicRandom::keyed({3, 4}).next_u64(), PublicRandom::keyed({3, 4}).next_u64());
}

TEST(PublicRandom, BelowIsEven) {
  PublicRandom random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts[random.below(7)];
  for (int count : counts) EXPECT_NEAR(count, 10'000, 600);
}

TEST(PublicRandom, NormalsHaveMeanZeroAndVarianceOne) {
  PublicRandom random(2);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.next_normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.03);
}

TEST(Permutation, HoldsEveryIndexOnceAndDependsOnTheSeed) {
  PublicRandom one(1), same(1), other(2);
  const auto first = permutation(1000, one);
  EXPECT_EQ(first, permutation(1000, same));
  EXPECT_NE(first, permutation(1000, other));
  EXPECT_EQ(std::set<std::size_t>(first.begin(), first.end()).size(), 1000u);
  EXPECT_EQ(*std::max_element(first.begin(), first.end()), 999u);
}

TEST(Permutation, OfThreeTakesAllSixOrdersEquallyOften) {
  PublicRandom random(3);
  std::array<int, 27> counts{};
  for (int i = 0; i < 60'000; ++i) {
    const auto p = permutation(3, random);
    ++counts[p[0] * 9 + p[1] * 3 + p[2]];
  }
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 21);
  for (int count : counts) {
    if (count > 0) {
      EXPECT_NEAR(count, 10'000, 600);
    }
  }
}

}  // namespace
}  // namespace fedvs
