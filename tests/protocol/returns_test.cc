// Parties that die, come back, or come back with an old folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::kReuse;
using fedvs::testing::kRounds;
using fedvs::testing::kWait;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
    EXPECT_EQ(*stage.client(3).model().chain().find(stage.server().rounds()),
              *stage.client(0).model().chain().find(stage.server().rounds()));
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

// Saved now and then, and learned again from what was written down since.
TEST(Returns, AKilledServersModelIsTheSameToTheBit) {
  for (std::uint64_t round : {1u, 3u, 4u, 7u, 8u, 12u, 17u}) {
    Stage stage(Sets{"protocol.late_models=wait", "train.lr_decay=0.5"});
    stage.start();
    stage.run_until_round(round);
    const auto model = stage.learner().central().save();
    stage.kill_server();
    stage.start_server();
    EXPECT_EQ(stage.learner().rounds(), round);
    EXPECT_EQ(stage.learner().central().save(), model) << round;
  }
}

TEST(Returns, AServerKilledInAnEvaluationHasItsPredictionsAgain) {
  Stage stage(kWait);
  stage.start();
  stage.run([&] {
    const auto& all = stage.learner().probabilities();
    return stage.server().evaluating() && std::ranges::any_of(all, [](float p) { return p > 0; });
  });
  ASSERT_FALSE(stage.server().done());
  const auto predicted = stage.learner().probabilities();
  stage.kill_server();
  stage.start_server();
  EXPECT_EQ(stage.learner().probabilities(), predicted);
  stage.run();
  expect_good_end(stage);
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

// More than are sent at once: whoever is behind gets its gradients first, and no plan meanwhile.
TEST(Returns, EverybodyKilledFarFromTheLastCheckpointsGoesOn) {
  for (const int lowest : {0, 4}) {  // all, and fewer than leave R
    Stage stage(Sets{"protocol.late_models=reuse", "train.epochs=9"});
    stage.save_every = 1000;
    stage.start();
    stage.run_until_round(50);
    stage.kill_server();
    for (int n = lowest; n < 9; ++n) stage.kill_client(n);
    stage.start_server();
    for (int n = lowest; n < 9; ++n) stage.start_client(n);
    const double then = stage.now();
    stage.run_until_round(51);
    EXPECT_LT(stage.now() - then, stage.agreement().dead_after) << lowest;
    EXPECT_THAT(stage.recorder.notes, Not(Contains(HasSubstr("no longer counted on")))) << lowest;
    stage.run();
    expect_good_end(stage);
  }
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

// It does not know which rows it has answered for since: it is told of all plans in order, and
// remembers them before it answers any.
TEST(Returns, AClientsOldFolderIsToldAllPlansSinceAndReusesNothing) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(5);
  const auto old = stage.folder(3);
  stage.run_until_round(8);
  stage.kill_client(3);
  stage.folder(3) = old;
  stage.start_client(3);
  const auto missed_up_to = stage.server_folder().heads.last();
  EXPECT_LT(stage.client(3).heads()->head().index, missed_up_to);
  stage.run_until_round(10);
  EXPECT_GE(stage.client(3).heads()->head().index, missed_up_to);
  stage.run();
  expect_good_end(stage);  // and no version was rounded twice: the stage compares
  EXPECT_THAT(responders_after(stage, 13), Contains(3));
}

TEST(Returns, AServersOldFolderIsRefused) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(5);
  const std::string old = stage.server_folder().notes;
  const auto plans = stage.server_folder().heads.last();
  stage.run_until_round(9);
  stage.kill_server();
  stage.server_folder().notes = old;
  // Its checkpoint alone is found to be old by the plans that it has signed since;
  EXPECT_EQ(stage.make_server().error().code, ErrorCode::kCorrupt);
  // the whole folder by what clients have seen.
  ASSERT_TRUE(stage.server_folder().heads.forget_after(plans));
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

TEST(Returns, RowsThatDoNotLineUpAreSharedWithNobodyAndEverybodyNamesWhoseTheyAre) {
  Stage stage(kReuse);
  stage.rows_of(5) = "other rows";
  std::map<int, std::vector<int>> verdicts;
  bool refused = false, model_left = false;
  stage.lose = [&](int from, int, const Message& message) {
    model_left = model_left || std::holds_alternative<ModelShare>(message);
    if (const auto* verdict = std::get_if<RowVerdict>(&message)) verdicts[from] = verdict->differ;
    refused = refused || std::holds_alternative<Refusal>(message);
    return false;
  };
  stage.start();
  stage.run();
  EXPECT_EQ(static_cast<int>(verdicts.size()), stage.agreement().shape.parties);
  for (const auto& [from, differ] : verdicts) EXPECT_THAT(differ, ElementsAre(5)) << from;
  EXPECT_FALSE(refused) << "one client's rows are no reason to end the run";
  EXPECT_THAT(stage.folder(0).rows, IsEmpty());
  // Nor when the server asks for it: first weights of a wrong file, beside those of the right one.
  const std::vector<bool> all(9, true), none(9, false);
  for (int n = 0; n < 9; ++n) {
    stage.send_as_server(n, make_message(Step{.gradient = {},
                                              .share = all,
                                              .plan = {},
                                              .groups = {},
                                              .frozen = none,
                                              .released = none}));
  }
  stage.deliver_all();
  EXPECT_FALSE(model_left);
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
