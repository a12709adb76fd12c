#include "fedvs/party/row_verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RowVerdictsTest : public ::testing::Test {
 protected:
  static protocol::Incarnation life(std::uint8_t number) {
    protocol::Incarnation life;
    life.bytes[0] = number;
    return life;
  }
  RowVerdictsTest() {
    for (int n = 0; n < 5; ++n) verdicts_.begin_life(n, life(1));
  }
  void say(int from, std::vector<int> differ) { verdicts_.add({from, life(1), std::move(differ)}); }
  RowVerdicts verdicts_{5};
};

TEST_F(RowVerdictsTest, MostMustFindNoDifference) {
  say(0, {});
  say(1, {});
  EXPECT_FALSE(verdicts_.all_agree());
  say(1, {});  // the same one again
  EXPECT_FALSE(verdicts_.all_agree());
  say(2, {});
  EXPECT_TRUE(verdicts_.all_agree());
  EXPECT_FALSE(verdicts_.all_said());
}

TEST_F(RowVerdictsTest, WhoMostFindToDifferIsNamedAndNobodyElse) {
  say(0, {3});
  say(1, {2, 3});
  EXPECT_THAT(verdicts_.differing(), IsEmpty());
  say(2, {3});
  EXPECT_THAT(verdicts_.differing(), ElementsAre(3));
}

TEST_F(RowVerdictsTest, OneThatAccusesEverybodyDecidesNothing) {
  say(3, {0, 1, 2, 4});
  EXPECT_THAT(verdicts_.differing(), IsEmpty());
  for (const int n : {0, 1, 2, 4}) say(n, {});
  EXPECT_TRUE(verdicts_.all_agree());
  EXPECT_TRUE(verdicts_.all_said());
  EXPECT_THAT(verdicts_.differing(), IsEmpty());
}

TEST_F(RowVerdictsTest, WordsOfAnEarlierLifeDoNotCount) {
  for (const int n : {0, 1, 2}) say(n, {3});
  verdicts_.begin_life(0, life(2));
  EXPECT_THAT(verdicts_.differing(), IsEmpty());
  say(0, {3});  // came late
  EXPECT_THAT(verdicts_.differing(), IsEmpty());
  verdicts_.add({0, life(2), {3}});
  EXPECT_THAT(verdicts_.differing(), ElementsAre(3));
  verdicts_.forget_all();
  EXPECT_THAT(verdicts_.differing(), IsEmpty());
}

}  // namespace
}  // namespace fedvs::party
