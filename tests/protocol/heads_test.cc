// Whole runs in which clients compare the plans that they were shown. N = 9, R = 5, Q = 6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::joined;
using fedvs::testing::kReuse;
using fedvs::testing::kWait;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

Sets in_mode(const std::string& mode, const Sets& more = kReuse) {
  return joined({"protocol.equivocation=" + mode}, more);
}

bool said(const Stage& stage, const std::string& what) {
  return std::ranges::any_of(stage.recorder.notes,
                             [&](const std::string& note) { return note.find(what) != note.npos; });
}

class EveryMode : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Heads, EveryMode, ::testing::Values("bounded", "prevent", "detect"));

TEST_P(EveryMode, TrainsWhatTheSimulatorTrains) {
  Stage stage(in_mode(GetParam(), kWait));
  stage.start();
  stage.run();
  expect_good_end(stage);
  const auto simulated =
      fedvs::testing::run_world({"protocol.late_models=wait", "sim.delays=none"});
  EXPECT_EQ(stage.recorder.losses(), simulated->recorder.losses());
  // Everybody has the chain that the server has.
  for (int n = 0; n < 9; ++n) {
    const auto& head = stage.client(n).heads()->head();
    EXPECT_EQ(head.link, stage.server_folder().heads.read(head.index)->link);
  }
}

TEST_P(EveryMode, GoesOnThroughDropsDeathsAndReturns) {
  for (const std::string late : {"reuse", "drop"}) {
    Stage stage(in_mode(GetParam(), {"protocol.late_models=" + late, "protocol.max_age=3"}));
    stage.start();
    stage.run_until_round(6);
    stage.kill_client(8);
    stage.run_until_round(9);
    stage.start_client(8);
    stage.kill_client(2);  // for good: its group stands still and shares no more
    stage.run_until_round(12);
    stage.client(4).compute_models();
    stage.come_back(4);
    stage.run();
    expect_good_end(stage);
  }
}

TEST_P(EveryMode, GoesOnWhenTheServerAndThenEverybodyStartsAgain) {
  Stage stage(in_mode(GetParam()));
  stage.start();
  stage.run_until_round(7);
  stage.kill_server();
  stage.start_server();
  stage.run_until_round(12);
  stage.kill_server();
  for (int n = 0; n < 9; ++n) stage.kill_client(n);
  stage.start_server();
  for (int n = 0; n < 9; ++n) stage.start_client(n);
  stage.run();
  expect_good_end(stage);
}

// Signed and written to the log, not yet told of in the checkpoint: nobody was sent it, so that its
// revision is given to another plan.
TEST(Heads, APlanThatTheServerDiedOverIsTakenBack) {
  for (std::uint64_t round : {6u, 7u, 9u, 13u}) {
    Stage stage(in_mode("bounded"));
    stage.start();
    stage.run_until_round(round);
    const auto plans = stage.server_folder().heads.last();
    stage.dies_before_saving = [&] { return stage.server_folder().heads.last() > plans; };
    stage.run();
    ASSERT_FALSE(stage.server_runs());
    stage.dies_before_saving = {};
    for (int n = 0; n < 9; ++n) stage.kill_client(n);
    stage.start_server();
    for (int n = 0; n < 9; ++n) stage.start_client(n);
    stage.run();
    expect_good_end(stage);
  }
}

TEST(Heads, BoundedStandsStillBelowTheQuorumAndSaysSo) {
  // Given four of nine killed: R = 5 are left, and Q = 6.
  Stage stage(in_mode("bounded", {"protocol.late_models=reuse", "protocol.max_age=3"}));
  stage.start();
  stage.run_until_round(7);
  for (int n : {5, 6, 7, 8}) stage.kill_client(n);
  stage.run([&] { return said(stage, "waiting for heads: 5 of 6"); });
  const auto stood = stage.server().rounds();
  EXPECT_LE(stood, 7u + 5u);
  EXPECT_EQ(stage.server().heads_waited_with(), 5);
  // When one returns, its head alone lets the run go on.
  stage.start_client(6);
  stage.run();
  expect_good_end(stage);
  EXPECT_GT(stage.server().rounds(), stood);
}

TEST(Heads, DetectGoesOnBelowTheQuorum) {
  Stage stage(in_mode("detect", {"protocol.late_models=reuse", "protocol.max_age=3"}));
  stage.start();
  stage.run_until_round(7);
  for (int n : {5, 6, 7, 8}) stage.kill_client(n);
  stage.run();
  expect_good_end(stage);
}

TEST(Heads, AClientThatMissedHundredsOfPlansIsToldOfEachBeforeItGoesOn) {
  Stage stage(in_mode("bounded",
                      {"train.epochs=60", "train.lr_client=0.001", "protocol.late_models=reuse"}));
  std::size_t told = 0;
  stage.tamper = [&](int, int to, MessagePtr message) {
    if (to == 3 && std::holds_alternative<MissedPlan>(*message)) ++told;
    return message;
  };
  stage.start();
  stage.run_until_round(7);
  stage.kill_client(3);
  stage.run_until_round(380);
  stage.start_client(3);
  stage.run();
  EXPECT_TRUE(stage.server().done());
  EXPECT_GE(told, 373u);
  EXPECT_EQ(stage.client(3).heads()->head().link, stage.client(0).heads()->head().link);
}

TEST(Heads, AServerWithAnOlderFolderStopsWhenItHearsOfAPlanThatItSigned) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  const auto older = stage.server_folder();
  stage.run_until_round(8);
  stage.kill_server();
  stage.server_folder() = older;
  stage.start_server();
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_THAT(stage.server().status().error().message,
              AllOf(HasSubstr("with this server's signature"), HasSubstr("restore the newest")));
}

TEST(Heads, AHelloWithAHeadThatNobodySignedSendsThatClientAwayOnly) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(8);
  stage.tamper = [](int from, int, MessagePtr message) {
    const auto* hello = std::get_if<Hello>(message.get());
    if (hello == nullptr || from != 4) return message;
    Hello lied = *hello;
    lied.head->index += 1000;
    return make_message(lied);
  };
  stage.client(4).compute_models();
  stage.come_back(4);
  stage.run();
  expect_good_end(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 5 has seen other plans")));
  EXPECT_EQ(stage.client(4).farewell()->ending, Ending::kRefused);
}

TEST(Heads, AClientRefusesAPlanThatIsNotSignedAndStaysAway) {
  Stage stage(kReuse);
  stage.tamper = [&](int, int to, MessagePtr message) {
    const auto* step = std::get_if<Step>(message.get());
    if (step == nullptr || !step->plan || to != 3 || step->plan->round != 6) return message;
    Step changed = *step;
    changed.head->signature[0] ^= 1;
    return make_message(changed);
  };
  stage.start();
  stage.run();
  ASSERT_TRUE(stage.client(3).broken_off());
  EXPECT_THAT(stage.client(3).broken_off()->reason, HasSubstr("not signed by the server"));
  EXPECT_THAT(stage.client(3).receive(make_message(ReportRequest{})), ::testing::IsEmpty());
}

TEST(Heads, ClientsInDifferentRunsShareNoRows) {
  Stage stage(kReuse);
  stage.another_run_for(5);
  stage.start();
  stage.run();
  EXPECT_FALSE(stage.client(0).holdings().data_complete);
}

}  // namespace
}  // namespace fedvs::protocol
