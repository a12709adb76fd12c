// How long a run waits for parties that are away, and what it says and does then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::kReuse;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;

// How long rounds 7 to 17 took in seconds of the stage, where time passes by waiting only.
double waited_after(const std::function<void(Stage&)>& accident) {
  Stage stage(Sets{"protocol.late_models=reuse", "protocol.max_age=3", "protocol.dead_after=60"});
  stage.start();
  stage.run_until_round(7);
  const double then = stage.now();
  accident(stage);
  stage.run_until_round(17);
  EXPECT_EQ(stage.server().rounds(), 17u) << stage.describe();
  return stage.now() - then;
}

TEST(Waits, ALostConnectionHoldsNoRoundUp) {
  const auto kill_two = [](Stage& stage) {
    stage.kill_client(2);
    stage.kill_client(8);
  };
  EXPECT_LT(waited_after(kill_two), 5);
}

TEST(Waits, AStoppedClientHoldsRoundsUpUntilItIsDeclaredDeadAndNotAgain) {
  const double waited = waited_after([](Stage& stage) { stage.freeze_client(8); });
  EXPECT_GT(waited, 50);
  EXPECT_LT(waited, 70);
}

// Five die at once, some rounds after their checkpoints, and one comes back: with R = 5 there, of
// whom one must have kept what the four dead cannot send again.
TEST(Waits, WhatCameOfDeadSendersModelsOutlivesAKill) {
  const auto only_five_are_left = [](Stage& stage) {
    for (int n : {0, 5, 6, 7, 8}) stage.kill_client(n);
    stage.start_client(0);
    stage.come_back(0);  // before it has caught up: its connection breaks once more
  };
  EXPECT_LT(waited_after(only_five_are_left), 5);
}

TEST(Waits, OutagesAreCountedOneByOne) {
  Stage stage(kReuse, /*wait_for_return=*/1000);
  stage.start();
  for (const std::uint64_t round : {6u, 9u, 12u}) {
    stage.run_until_round(round);
    const double then = stage.now();
    for (int n = 4; n < 9; ++n) stage.kill_client(n);
    stage.run([&] { return stage.now() > then + 600; });
    for (int n = 4; n < 9; ++n) stage.start_client(n);
  }
  stage.run();
  expect_good_end(stage);
}

TEST(Waits, BelowTheThresholdTheServerSaysWhoIsMissingAndGoesOnWhenTheyReturn) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(6);
  for (int n = 4; n < 9; ++n) stage.kill_client(n);
  stage.run([&] {
    return !stage.recorder.notes.empty() &&
           stage.recorder.notes.back().find("waiting") != std::string::npos;
  });
  EXPECT_THAT(stage.recorder.notes.back(), HasSubstr("no sign of clients 5 6 7 8 9"));
  for (int n = 4; n < 9; ++n) stage.start_client(n);
  stage.run();
  expect_good_end(stage);
}

TEST(Waits, BelowTheThresholdForTooLongTheRunEnds) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(6);
  for (int n = 4; n < 9; ++n) stage.kill_client(n);
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_EQ(stage.server().status().error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(stage.server().status().error().message, HasSubstr("clients 5 6 7 8 9"));
  EXPECT_LT(stage.now(), 1500);
}

}  // namespace
}  // namespace fedvs::protocol
