#include <gmock/gmock.h>

#include "fedvs/coding/opening.h"
#include "tests/support/coded_sum.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::coded_sum;
using fedvs::testing::CodedSum;
using fedvs::testing::ring;
using fedvs::testing::seeded;
using fedvs::testing::shares_of;
using fedvs::testing::spoil;
using fedvs::testing::subsets;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int> everyone(const LagrangeCode& code) {
  std::vector<int> parties(static_cast<std::size_t>(code.shape().parties));
  std::iota(parties.begin(), parties.end(), 0);
  return parties;
}

void replace(CodedSum& world, int party, Prng& random) {
  auto& upload = world.uploads[static_cast<std::size_t>(party)];
  upload = field::uniform(upload.ring(), upload.rows(), upload.cols(), random);
}

TEST(Correct, NamesWhicheverUploadsAreWrongAndRecovers) {
  for (const auto& ring : all_rings()) {
    // Given N = R + 2e with e = 2, and any two uploads: one replaced, one wrong in a single entry.
    const auto code = LagrangeCode::create(ring, {9, 2, 1}).value();
    for (const auto& wrong : subsets(9, 2)) {
      Prng random = seeded(1);
      auto world = coded_sum(code, 3, 2, 2, 2, random);
      replace(world, wrong[0], random);
      spoil(world.uploads[static_cast<std::size_t>(wrong[1])], ring.planes() - 1, 2, 1);
      // When they are corrected, then both are named and the sums come out.
      const auto corrected = correct(code, shares_of(world, everyone(code)), 2);
      ASSERT_TRUE(corrected) << corrected.error().message;
      EXPECT_EQ(corrected->wrong, wrong);
      EXPECT_TRUE(corrected->segments == world.sums);
    }
  }
}

TEST(Correct, AccusesNobodyWhenAllIsWell) {
  Prng random = seeded(2);
  const auto code = LagrangeCode::create(ring("rns4"), {9, 2, 1}).value();
  const auto world = coded_sum(code, 3, 2, 2, 2, random);
  for (int errors : {0, 1, 2}) {
    const auto corrected = correct(code, shares_of(world, everyone(code)), errors);
    ASSERT_TRUE(corrected);
    EXPECT_THAT(corrected->wrong, IsEmpty());
    EXPECT_TRUE(corrected->segments == world.sums);
  }
}

TEST(Correct, NamesPartiesInAscendingOrderHoweverUploadsCame) {
  Prng random = seeded(3);
  const auto code = LagrangeCode::create(ring("rns4"), {10, 2, 1}).value();
  auto world = coded_sum(code, 2, 2, 2, 2, random);
  replace(world, 2, random);
  replace(world, 8, random);
  const auto corrected = correct(code, shares_of(world, std::vector{8, 1, 9, 2, 0, 7, 5, 3, 6}), 2);
  ASSERT_TRUE(corrected);
  EXPECT_THAT(corrected->wrong, ElementsAre(2, 8));
}

TEST(Correct, FindsErrorsInDifferentEntriesOfDifferentUploads) {
  // No single entry has more than one error, but the uploads have three: more than e = 2.
  Prng random = seeded(4);
  const auto code = LagrangeCode::create(ring("rns4"), {9, 2, 1}).value();
  auto world = coded_sum(code, 3, 2, 1, 2, random);
  for (std::size_t i = 0; i < 3; ++i) spoil(world.uploads[i], 0, i, 0);
  EXPECT_EQ(correct(code, shares_of(world, everyone(code)), 2).error().code, ErrorCode::kCorrupt);
  // With one upload less that is wrong, they are named.
  world.uploads[2].set(0, 2, 0, field::subtract(world.uploads[2].get(0, 2, 0), 1, 251));
  EXPECT_THAT(correct(code, shares_of(world, everyone(code)), 2).value().wrong, ElementsAre(0, 1));
}

TEST(Correct, RefusesMoreWrongUploadsThanItCanCorrect) {
  for (const char* name : {"rns4", "m31"}) {
    const auto code = LagrangeCode::create(ring(name), {9, 2, 1}).value();
    for (const auto& wrong : subsets(9, 3)) {
      Prng random = seeded(5);
      auto world = coded_sum(code, 2, 2, 2, 2, random);
      for (int party : wrong) replace(world, party, random);
      const auto refused = correct(code, shares_of(world, everyone(code)), 2);
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, ErrorCode::kCorrupt);
      EXPECT_THAT(refused.error().message, HasSubstr("more than 2 of 9 uploads are wrong"));
    }
  }
}

TEST(Correct, WorksOverATinyPrimeWhereCombinationsOftenMiss) {
  const auto code = LagrangeCode::create(field::Ring::of_primes("tiny", {7}), {5, 1, 1}).value();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Prng random = seeded(seed);
    auto world = coded_sum(code, 2, 1, 2, 2, random);
    spoil(world.uploads[seed % 5], 0, 1, 1);
    const auto corrected = correct(code, shares_of(world, everyone(code)), 1);
    ASSERT_TRUE(corrected);
    EXPECT_THAT(corrected->wrong, ElementsAre(static_cast<int>(seed % 5)));
    EXPECT_TRUE(corrected->segments == world.sums);
  }
}

TEST(Correct, SaysHowManySharesItNeeds) {
  Prng random = seeded(6);
  const auto code = LagrangeCode::create(ring("rns4"), {9, 2, 1}).value();
  const auto world = coded_sum(code, 1, 1, 1, 2, random);
  const auto refused = correct(code, shares_of(world, std::vector<int>{0, 1, 2, 3, 4, 5}), 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(refused.error().message, HasSubstr("have 6 shares, need 7 to correct 1"));
}

}  // namespace
}  // namespace fedvs::coding
