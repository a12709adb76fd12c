// Reads like the table in seats.h.
#include "fedvs/party/seats.h"

#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

constexpr int kClient = 1, kOther = 0;

class SeatsOfThree : public ::testing::Test {
 protected:
  void come_in() {
    seats_.connect(kClient, 7);
    seats_.introduce(kClient);
    seats_.come(kClient);
    seats_.greet(kClient);
  }
  Seats seats_{3};
};

TEST_F(SeatsOfThree, AClientComesInOneStepAfterTheOther) {
  EXPECT_EQ(seats_.stage(kClient), Stage::kAway);
  EXPECT_TRUE(seats_.connect(kClient, 7));
  EXPECT_EQ(seats_.stage(kClient), Stage::kConnected);
  seats_.introduce(kClient);
  EXPECT_EQ(seats_.stage(kClient), Stage::kIntroduced);
  seats_.come(kClient);
  EXPECT_EQ(seats_.stage(kClient), Stage::kCome);
  seats_.greet(kClient);
  EXPECT_EQ(seats_.stage(kClient), Stage::kGreeted);
  EXPECT_EQ(seats_.stage(kOther), Stage::kAway);
}

TEST_F(SeatsOfThree, NoStepIsLeftOutOrTakenTwice) {
  EXPECT_DEATH(seats_.introduce(kClient), "one step at a time");
  seats_.connect(kClient, 7);
  EXPECT_DEATH(seats_.come(kClient), "one step at a time");
  EXPECT_DEATH(seats_.greet(kClient), "one step at a time");
  seats_.introduce(kClient);
  EXPECT_DEATH(seats_.introduce(kClient), "one step at a time");
}

TEST_F(SeatsOfThree, WhoeverLeavesHasNoSessionAndBeginsAnew) {
  come_in();
  EXPECT_TRUE(seats_.is_present(kClient, 7));
  seats_.leave(kClient);
  EXPECT_FALSE(seats_.here(kClient));
  EXPECT_EQ(seats_.session(kClient), 0u);
  EXPECT_FALSE(seats_.is_present(kClient, 7));
  EXPECT_TRUE(seats_.connect(kClient, 8));
  EXPECT_EQ(seats_.stage(kClient), Stage::kConnected);
}

TEST_F(SeatsOfThree, ANewConnectionReplacesAnOlderOneAndNeverANewerOne) {
  come_in();
  EXPECT_TRUE(seats_.connect(kClient, 9));
  EXPECT_EQ(seats_.stage(kClient), Stage::kConnected);
  EXPECT_FALSE(seats_.is_present(kClient, 7));
  EXPECT_FALSE(seats_.connect(kClient, 8));
  EXPECT_EQ(seats_.session(kClient), 9u);
  seats_.leave(kClient);
  EXPECT_FALSE(seats_.connect(kClient, 8));
  EXPECT_FALSE(seats_.here(kClient));
}

TEST_F(SeatsOfThree, EveryHelloButTheFirstIsARestart) {
  EXPECT_EQ(seats_.restarts(kClient), 0u);
  come_in();
  EXPECT_EQ(seats_.restarts(kClient), 0u);
  seats_.greet(kClient);  // over the same connection
  EXPECT_EQ(seats_.restarts(kClient), 1u);
  seats_.leave(kClient);
  EXPECT_EQ(seats_.restarts(kClient), 1u);
}

TEST_F(SeatsOfThree, ARunThatComesToNothingTakesHellosAlongAndNothingElse) {
  come_in();
  seats_.connect(kOther, 3);
  seats_.forget_hellos();
  EXPECT_EQ(seats_.stage(kClient), Stage::kCome);
  EXPECT_EQ(seats_.stage(kOther), Stage::kConnected);
  EXPECT_TRUE(seats_.is_present(kClient, 7));
}

}  // namespace
}  // namespace fedvs::party
