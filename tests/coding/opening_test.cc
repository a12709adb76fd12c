#include "fedvs/coding/opening.h"

#include <gmock/gmock.h>

#include "tests/support/coded_sum.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::coded_sum;
using fedvs::testing::ring;
using fedvs::testing::seeded;
using fedvs::testing::shares_of;
using fedvs::testing::spoil;
using fedvs::testing::subsets;
using ::testing::HasSubstr;

TEST(Open, RecoversSumsOfProductsWhicheverPartiesStraggle) {
  for (const auto& ring : all_rings()) {
    for (const Shape shape : {Shape{7, 2, 1}, Shape{6, 1, 1}, Shape{7, 1, 2}, Shape{5, 2, 1}}) {
      // Given the masked uploads of a round,
      Prng random = seeded(1);
      const auto code = LagrangeCode::create(ring, shape).value();
      const auto world = coded_sum(code, 3, 4, 2, shape.colluding + 1, random);
      // When any N-R parties never answer, then the plain sums come out.
      for (const auto& answered : subsets(shape.parties, shape.threshold())) {
        EXPECT_TRUE(open(code, shares_of(world, answered)).value() == world.sums) << ring.name();
      }
    }
  }
}

TEST(Open, DoesNotCareInWhichOrderUploadsCome) {
  Prng random = seeded(2);
  const auto code = LagrangeCode::create(ring("rns4"), {7, 2, 1}).value();
  const auto world = coded_sum(code, 2, 3, 2, 2, random);
  const std::vector<int> order{6, 2, 0, 5, 3, 1, 4};
  EXPECT_TRUE(open(code, shares_of(world, order)).value() == world.sums);
}

TEST(Open, SaysHowManySharesAreMissing) {
  Prng random = seeded(3);
  const auto code = LagrangeCode::create(ring("rns4"), {7, 2, 1}).value();
  const auto world = coded_sum(code, 1, 1, 1, 2, random);
  const auto refused = open(code, shares_of(world, std::vector<int>{0, 1, 2, 3}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(refused.error().message, HasSubstr("have 4 shares, need 5"));
}

TEST(Consistent, HoldsForEveryHonestSurplusUpload) {
  for (const auto& ring : all_rings()) {
    Prng random = seeded(4);
    const auto code = LagrangeCode::create(ring, {8, 2, 1}).value();
    const auto world = coded_sum(code, 2, 3, 2, 2, random);
    const auto all = shares_of(world, std::vector<int>{3, 1, 7, 0, 4, 2, 5, 6});
    for (std::size_t i = 5; i < 8; ++i) EXPECT_TRUE(consistent(code, all, all[i]));
  }
}

TEST(Consistent, FailsForAnySingleWrongUploadInAnyEntryAndPlane) {
  for (const auto& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {6, 2, 1}).value();
    Prng random = seeded(5);
    auto world = coded_sum(code, 2, 1, 2, 2, random);
    const auto all = shares_of(world, std::vector<int>{0, 1, 2, 3, 4, 5});
    for (auto& upload : world.uploads) {
      for (int plane = 0; plane < ring.planes(); ++plane) {
        for (std::size_t entry = 0; entry < 4; ++entry) {
          const auto honest = upload.get(plane, entry / 2, entry % 2);
          spoil(upload, plane, entry / 2, entry % 2);
          EXPECT_FALSE(consistent(code, all, all[5])) << plane << " " << entry;
          upload.set(plane, entry / 2, entry % 2, honest);
        }
      }
    }
    EXPECT_TRUE(consistent(code, all, all[5]));
  }
}

}  // namespace
}  // namespace fedvs::coding
