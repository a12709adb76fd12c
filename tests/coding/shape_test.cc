#include "fedvs/coding/shape.h"

#include <gmock/gmock.h>

#include "fedvs/coding/lagrange.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::ring;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const Shape& shape, const char* name = "rns4") {
  const Status status = validate(shape, ring(name));
  EXPECT_FALSE(LagrangeCode::create(ring(name), shape));
  if (status) return "accepted";
  EXPECT_EQ(status.error().code, ErrorCode::kBadShape);
  return status.error().message;
}

TEST(Shape, KnowsItsThreshold) {
  EXPECT_EQ((Shape{7, 2, 1}).threshold(), 5);
  EXPECT_EQ((Shape{7, 2, 1}).stragglers(), 2);
  EXPECT_EQ((Shape{28, 6, 1}).threshold(), 13);
}

TEST(Shape, IsAcceptedWhereItJustFits) {
  EXPECT_TRUE(validate({3, 1, 1}, ring("rns4")));
  EXPECT_TRUE(validate({5, 2, 1}, ring("rns4")));
  EXPECT_TRUE(validate({230, 2, 1}, ring("rns4")));  // 233 points
  EXPECT_TRUE(validate({208, 2, 1}, ring("rns8")));  // 211 points
  EXPECT_TRUE(validate({1000, 400, 3}, ring("m31")));
}

TEST(Shape, NeedsNoMoreAnswersThanClients) {
  EXPECT_THAT(refusal({6, 3, 1}),
              AllOf(HasSubstr("K = 3 and T = 1"), HasSubstr("= 7 answers"), HasSubstr("N = 6"),
                    HasSubstr("at least 7 clients"), HasSubstr("lower K to 2")));
  EXPECT_TRUE(validate({6, 2, 1}, ring("rns4"))) << "what the message suggests works";
  EXPECT_THAT(refusal({4, 1, 3}), HasSubstr("lower K and T"));
}

TEST(Shape, RefusesZeroNegativeAndAbsurdNumbers) {
  constexpr int kAbsurd = 1'000'000'000;
  for (int bad : {0, -1, -kAbsurd, kAbsurd, 2'147'483'647}) {
    const std::string number = std::to_string(bad);
    for (const char* name : {"rns4", "m31"}) {
      EXPECT_THAT(refusal({bad, 1, 1}, name), AllOf(HasSubstr("N = " + number), HasSubstr("1 to")));
      EXPECT_THAT(refusal({7, bad, 1}, name), AllOf(HasSubstr("K = " + number), HasSubstr("1 to")));
      EXPECT_THAT(refusal({7, 1, bad}, name), AllOf(HasSubstr("T = " + number), HasSubstr("1 to")));
    }
  }
}

TEST(Shape, WithMorePointsThanTheRingNamesTheRingThatWouldDo) {
  EXPECT_THAT(refusal({231, 2, 1}),
              AllOf(HasSubstr("231 + 2 + 1 = 234 points"), HasSubstr("rns4 has only 233"),
                    HasSubstr("use ring m31")));
  EXPECT_TRUE(validate({231, 2, 1}, ring("m31"))) << "what the message suggests works";
  EXPECT_THAT(refusal({209, 2, 1}, "rns8"), HasSubstr("rns8 has only 211"));
}

TEST(DefaultBlocks, AreTheMostThatHalfOfTheClientsCanOpen) {
  for (int parties = 3; parties <= 60; ++parties) {
    for (int colluding = 1; colluding <= 5; ++colluding) {
      const int blocks = default_blocks(parties, colluding);
      EXPECT_GE(blocks, 1);
      EXPECT_GT((Shape{parties, blocks + 1, colluding}).threshold(), parties / 2);
      if (blocks > 1) {
        EXPECT_LE((Shape{parties, blocks, colluding}).threshold(), parties / 2);
      }
    }
  }
  EXPECT_EQ(default_blocks(28, 1), 6);
}

}  // namespace
}  // namespace fedvs::coding
