// Gradients are kept for clients that are away, but not for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const Sets kSets{"protocol.late_models=reuse", "protocol.max_age=3"};
constexpr int kAway = 8;

TEST(CatchUp, AClientAwayForTooLongIsToldSoAndTheOthersGoOn) {
  Stage stage(kSets);
  stage.max_catch_up = 5;
  stage.start();
  stage.run_until_round(6);
  stage.kill_client(kAway);
  stage.run_until_round(14);
  EXPECT_THAT(
      stage.recorder.notes,
      Contains(AllOf(HasSubstr("client 9"), HasSubstr("cannot catch up any more from there"))));
  const auto oldest = stage.server_folder().gradients.oldest();
  EXPECT_GE(oldest + 5, stage.server().steps_sent());
  // When it comes back,
  stage.start_client(kAway);
  stage.run();
  // Then it is told what happened and what to do, its group stands still, and the run ends well.
  ASSERT_TRUE(stage.client(kAway).farewell());
  EXPECT_EQ(stage.client(kAway).farewell()->ending, Ending::kRefused);
  EXPECT_THAT(
      stage.client(kAway).farewell()->reason,
      AllOf(HasSubstr("client 9 comes back at step 4"),
            HasSubstr("protocol.max_catch_up = 5 rounds"), HasSubstr("newer copy of its folder")));
  expect_good_end(stage);
  const auto& last = *stage.recorder.rounds.back().plan;
  ASSERT_TRUE(last.versions[kAway]);
  EXPECT_LE(last.versions[kAway]->step, 7u);
}

TEST(CatchUp, ANewerCopyOfItsFolderComesBack) {
  Stage stage(kSets);
  stage.max_catch_up = 8;
  stage.start();
  stage.run_until_round(9);
  stage.kill_client(kAway);
  stage.run_until_round(12);
  stage.start_client(kAway);
  stage.run();
  expect_good_end(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 9 is back in round")));
  EXPECT_THAT(stage.recorder.notes, Not(Contains(HasSubstr("cannot catch up"))));
}

TEST(CatchUp, ARestartedServerRefusesItTooAndGoesOnWithTheOthers) {
  Stage stage(kSets);
  stage.max_catch_up = 5;
  stage.start();
  stage.run_until_round(6);
  stage.kill_client(kAway);
  stage.run_until_round(14);
  stage.kill_server();
  stage.start_server();
  stage.start_client(kAway);
  stage.run();
  ASSERT_TRUE(stage.client(kAway).farewell());
  EXPECT_THAT(stage.client(kAway).farewell()->reason, HasSubstr("it cannot catch up"));
  expect_good_end(stage);
}

TEST(CatchUp, WithoutAbsencesTheArchiveHoldsNoMoreThanTheClientsNeed) {
  Stage stage(Sets{"protocol.late_models=reuse"});
  stage.start();
  for (std::uint64_t round = 6; round < 18; ++round) {
    stage.run_until_round(round);
    EXPECT_GE(stage.server_folder().gradients.oldest() + 6, stage.server().steps_sent());
  }
}

TEST(CatchUp, WhereTheDiskIsFullNothingIsSentAndTheRunGoesOnOnceThereIsRoom) {
  Stage stage(Sets{"protocol.late_models=wait"});
  stage.start();
  stage.server_folder().gradients.full_from = 9;
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_THAT(stage.server().status().error().message, HasSubstr("no space left"));
  EXPECT_FALSE(stage.server().may_be_saved());
  EXPECT_EQ(stage.server().steps_sent(), 9u);
  for (int n = 0; n < stage.agreement().shape.parties; ++n) {
    EXPECT_LE(stage.client(n).model().step(), 9u);
  }
  stage.server_folder().gradients.full_from.reset();
  stage.kill_server();
  stage.start_server();
  stage.run();
  expect_good_end(stage);
  EXPECT_EQ(stage.server().rounds(), fedvs::testing::kRounds);
}

}  // namespace
}  // namespace fedvs::protocol
