// Parties that die, come back, or come back with an old folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/stage.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kRounds = 21;
const Sets kWait = {"protocol.late_models=wait"};
const Sets kReuse = {"protocol.late_models=reuse"};

// R = 5 of nine: the sums that were opened trained a model as well as ever, and nothing that is to
// be used once was used twice.
void expect_good_end(Stage& stage) {
  ASSERT_TRUE(stage.server().status())
      << stage.server().status().error().message << ::testing::PrintToString(stage.recorder.notes);
  ASSERT_TRUE(stage.server().done());
  EXPECT_GE(stage.server().rounds(),
            kRounds - 4);  // rows of an abandoned plan wait for the next epoch
  std::set<MaskId> named;
  std::map<std::pair<int, std::size_t>, Digest> vectors;  // of a training row in an epoch
  for (const auto& [revision, plan] : stage.plans) {
    for (const auto& mask : plan->masks) {
      EXPECT_TRUE(named.insert(mask).second) << "mask " << mask.number << " of " << mask.dealer;
    }
    for (auto row : plan->rows) {
      if (!plan->training()) continue;
      const auto id = version_vector_id(*plan);
      const auto [known, is_new] = vectors.try_emplace({plan->epoch, row}, id);
      EXPECT_EQ(known->second, id) << "row " << row << " with two version vectors";
    }
  }
}

std::set<int> responders_after(const Stage& stage, std::uint64_t round) {
  std::set<int> all;
  for (const auto& record : stage.recorder.rounds) {
    if (record.plan->round >= round) all.insert(record.responders.begin(), record.responders.end());
  }
  return all;
}

TEST(Returns, AStageOfPartiesTrainsExactlyAsTheSimulator) {
  Stage stage(kWait);
  stage.start();
  stage.run();
  expect_good_end(stage);
  const auto simulated =
      fedvs::testing::run_world({"protocol.late_models=wait", "sim.delays=none"});
  EXPECT_EQ(stage.recorder.losses(), simulated->recorder.losses());
}

TEST(Returns, AClientThatLostItsConnectionTakesPartAgain) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(sets);
    stage.start();
    stage.run_until_round(6);
    stage.client(3).compute_models();
    // Its messages are lost, and it says hello again in the same process.
    stage.lose = [](int from, int to, const Message& m) {
      return (from == 3 || to == 3) && !std::holds_alternative<Hello>(m);
    };
    stage.run_until_round(8);
    stage.lose = {};
    stage.come_back(3);
    stage.run();
    expect_good_end(stage);
    EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 is back in round")));
    EXPECT_THAT(responders_after(stage, 13), Contains(3));
  }
}

TEST(Returns, AKilledClientCatchesUpFromItsFolderAndTakesPartAgain) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(sets);
    stage.start();
    stage.run_until_round(7);
    stage.kill_client(3);
    stage.run([&] { return stage.now() > 0 || stage.server().rounds() >= 9; });
    stage.start_client(3);
    stage.run();
    expect_good_end(stage);
    EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 is back in round")));
    EXPECT_THAT(responders_after(stage, 14), Contains(3));
    EXPECT_EQ(stage.client(3).model().chain(stage.server().rounds()),
              stage.client(0).model().chain(stage.server().rounds()));
  }
}

TEST(Returns, EveryClientKilledInTurnAndTheRunGoesOn) {
  Stage stage(kReuse);
  stage.start();
  for (int n = 0; n < 9; ++n) {
    stage.run_until_round(static_cast<std::uint64_t>(2 + n));
    stage.kill_client(n);
    stage.run_until_round(static_cast<std::uint64_t>(3 + n));
    stage.start_client(n);
  }
  stage.run();
  expect_good_end(stage);
}

TEST(Returns, ASilentClientIsDeclaredDeadAndItsGroupThawsWhenItAnswers) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  stage.freeze_client(8);
  stage.run([&] { return !stage.recorder.notes.empty() && stage.server().rounds() >= 9; });
  stage.run_until_round(13);
  stage.thaw_client(8);
  stage.run();
  expect_good_end(stage);
}

TEST(Returns, AClientThatStaysAwayKeepsContributing) {
  Stage stage(Sets{"protocol.late_models=reuse", "protocol.max_age=3"});
  stage.start();
  stage.run_until_round(7);
  stage.kill_client(8);
  stage.run();
  expect_good_end(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 9 declared dead")));
  for (const auto& version : stage.recorder.rounds.back().plan->versions) EXPECT_TRUE(version);
}

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

TEST(Returns, ALostConnectionHoldsNoRoundUp) {
  const auto kill_two = [](Stage& stage) {
    stage.kill_client(2);
    stage.kill_client(8);
  };
  EXPECT_LT(waited_after(kill_two), 5);
}

TEST(Returns, AStoppedClientHoldsRoundsUpUntilItIsDeclaredDeadAndNotAgain) {
  const double waited = waited_after([](Stage& stage) { stage.freeze_client(8); });
  EXPECT_GT(waited, 50);
  EXPECT_LT(waited, 70);
}

// Five die at once, some rounds after their checkpoints, and one comes back: with R = 5 there, of
// whom one must have kept what the four dead cannot send again.
TEST(Returns, WhatCameOfDeadSendersModelsOutlivesAKill) {
  const auto only_five_are_left = [](Stage& stage) {
    for (int n : {0, 5, 6, 7, 8}) stage.kill_client(n);
    stage.start_client(0);
    stage.come_back(0);  // before it has caught up: its connection breaks once more
  };
  EXPECT_LT(waited_after(only_five_are_left), 5);
}

TEST(Returns, BelowRWhileMasksAreWaitedForTheServerWaitsAsLongAsItWasTold) {
  // Given clients that get no masks any more, and have used up those that they had.
  Stage stage(kReuse, /*wait_for_return=*/1e6);
  stage.start();
  stage.run_until_round(7);
  stage.lose = [](int, int, const Message& m) { return std::holds_alternative<MaskShare>(m); };
  const double then = stage.now();
  stage.run([&] { return stage.now() > then + 5; });
  const auto rounds = stage.server().rounds();
  ASSERT_LT(rounds, 18u) << "masks ran out";
  // When five die, and come back after a day.
  for (int n = 4; n < 9; ++n) stage.kill_client(n);
  stage.run([&] { return stage.now() > then + 86'400; });
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("4 clients are left and R = 5 are needed")));
  stage.lose = {};
  for (int n = 4; n < 9; ++n) stage.start_client(n);
  stage.run();
  expect_good_end(stage);
}

TEST(Returns, OutagesAreCountedOneByOne) {
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

TEST(Returns, AfterADeathARestartedClientStillHoldsTheDeadOnesModel) {
  // Given a dead client, whose group stands still.
  Stage stage(Sets{"protocol.late_models=reuse", "protocol.max_age=3"});
  stage.start();
  stage.run_until_round(6);
  stage.kill_client(8);
  stage.run_until_round(11);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 9 declared dead")));
  // When the others restart, one after the other.
  for (int n = 0; n < 5; ++n) {
    stage.kill_client(n);
    stage.start_client(n);
    stage.run_until_round(static_cast<std::uint64_t>(12 + n));
  }
  stage.run();
  // Then there are still R that can upload.
  expect_good_end(stage);
}

TEST(Returns, BelowTheThresholdTheServerSaysWhoIsMissingAndGoesOnWhenTheyReturn) {
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

TEST(Returns, BelowTheThresholdForTooLongTheRunEnds) {
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

TEST(Returns, AKilledServerGoesOnWithTheRun) {
  for (const auto& sets : {kWait, kReuse}) {
    for (std::uint64_t round : {1u, 5u, 6u, 11u, 17u}) {
      Stage stage(sets);
      stage.start();
      stage.run_until_round(round);
      stage.kill_server();
      stage.start_server();
      stage.run();
      expect_good_end(stage);
      EXPECT_GE(stage.server().rounds(), kRounds - 1) << round;
    }
  }
}

TEST(Returns, AKilledServerAndKilledClientsGoOnTogether) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(8);
  stage.kill_server();
  for (int n : {2, 5, 7}) stage.kill_client(n);
  stage.start_server();
  for (int n : {2, 5}) stage.start_client(n);  // one never comes
  stage.run();
  expect_good_end(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 8 declared dead")));
}

TEST(Returns, BeforeTrainingEverybodyStartsOver) {
  Stage stage(kReuse);
  stage.start();
  stage.run([&] { return stage.client(2).holdings().newest[4].has_value(); });
  ASSERT_FALSE(stage.server().training_started());
  stage.kill_client(4);
  stage.start_client(4);
  stage.run();
  expect_good_end(stage);
  EXPECT_EQ(stage.server().rounds(), kRounds);
}

TEST(Returns, AClientsOldFolderSitsTheEpochOutAndReusesNothing) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(5);
  const auto old = stage.folder(3);
  stage.run_until_round(8);
  stage.kill_client(3);
  stage.folder(3) = old;
  stage.start_client(3);
  stage.run_until_round(10);
  EXPECT_FALSE(stage.client(3).holdings().data_complete);  // it answers nothing in this epoch
  stage.run();
  expect_good_end(stage);  // and no version was rounded twice: the stage compares
  EXPECT_THAT(responders_after(stage, 13), Contains(3));
}

TEST(Returns, AServersOldFolderIsRefused) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(5);
  const std::string old = stage.server_folder().notes;
  stage.run_until_round(9);
  stage.kill_server();
  stage.server_folder().notes = old;
  stage.start_server();
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_EQ(stage.server().status().error().code, ErrorCode::kRefused);
  EXPECT_THAT(stage.server().status().error().message, HasSubstr("older than the run"));
}

TEST(Returns, AForkedGradientChainIsRefusedAndTheRunUnharmed) {
  Stage stage(kReuse), other(Sets{"protocol.late_models=reuse", "train.lr=0.02"});
  for (auto* each : {&stage, &other}) {
    each->start();
    each->run_until_round(8);
  }
  stage.kill_client(3);
  stage.folder(3).checkpoint = other.folder(3).checkpoint;
  stage.start_client(3);
  stage.run();
  expect_good_end(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("forked chain")));
  ASSERT_TRUE(stage.client(3).farewell());
  EXPECT_EQ(stage.client(3).farewell()->ending, Ending::kRefused);
}

TEST(Returns, RowsThatDoNotLineUpAreSharedWithNobody) {
  Stage stage(kReuse);
  stage.rows_of(5) = "other rows";
  stage.start();
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_THAT(stage.server().status().error().message, HasSubstr("not the same ids"));
  EXPECT_THAT(stage.folder(0).rows, IsEmpty());
}

TEST(Returns, ATornFileIsFetchedAgain) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  stage.kill_client(3);
  auto& rows = stage.folder(3).rows;
  rows.erase(std::next(rows.begin(), 4));
  const std::size_t left = rows.size();
  stage.start_client(3);
  stage.run();
  expect_good_end(stage);
  EXPECT_EQ(rows.size(), left + 1);
}

}  // namespace
}  // namespace fedvs::protocol
