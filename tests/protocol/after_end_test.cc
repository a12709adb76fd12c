// A client that was away when the run ended comes for its last model, without which nobody can
// score rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::HasSubstr;

const Sets kFewRounds = {"protocol.late_models=reuse", "protocol.max_age=3"};

// As it was shared: seen in a twin run in which nobody dies before that step.
std::vector<std::int32_t> shared_version(int client, StepNumber step) {
  Stage stage(kFewRounds);
  stage.start();
  stage.run([&] {
    const auto& rounded = stage.client(client).model().rounded();
    return rounded.contains(step) && stage.client(client).model().step() > step;
  });
  return stage.client(client).model().rounded().at(step);
}

void expect_last_version(Stage& stage, int client, const Plan& last) {
  const StepNumber named = last.versions[static_cast<std::size_t>(client)]->step;
  auto& model = stage.client(client).model();
  EXPECT_EQ(model.step(), stage.server().rounds());
  EXPECT_EQ(*model.chain().find(model.step()), *stage.client(0).model().chain().find(model.step()));
  ASSERT_TRUE(model.rounded().contains(named)) << "step " << named;
  EXPECT_EQ(model.rounded().at(named), shared_version(client, named));
}

class LastVersion : public ::testing::TestWithParam<std::uint64_t> {};

// Stage clients are saved every four rounds: the rounds are of all kinds, right after a save, right
// before one, and in between.
TEST_P(LastVersion, AKilledClientMakesTheVersionAgainThatTheLastPlanNames) {
  Stage stage(kFewRounds);
  stage.start();
  stage.run_until_round(GetParam());
  stage.kill_client(8);
  stage.run();
  expect_good_end(stage);
  EXPECT_THAT(stage.server().unsaved(), ::testing::Contains(8));
  const Plan last = *stage.server().last_plan();

  stage.start_client(8);
  stage.settle();
  ASSERT_TRUE(stage.client(8).farewell()) << stage.describe();
  EXPECT_EQ(stage.client(8).farewell()->ending, Ending::kFinished);
  EXPECT_THAT(stage.client(8).farewell()->reason, HasSubstr("has fetched what it missed"));
  EXPECT_TRUE(stage.client(8).was_away_at_the_end());
  expect_last_version(stage, 8, last);
}

INSTANTIATE_TEST_SUITE_P(KilledInRound, LastVersion,
                         ::testing::Values(8, 9, 10, 11, 12, 17, 19, 20));

TEST(AfterTheEnd, AServerThatIsStartedAgainServesThatAndNothingElse) {
  Stage stage(kFewRounds);
  stage.start();
  stage.run_until_round(10);
  stage.kill_client(8);
  stage.run();
  const Plan last = *stage.server().last_plan();
  stage.finish_server();
  for (int n = 0; n < 8; ++n) stage.report_finished(n);
  stage.settle();
  EXPECT_THAT(stage.server().unsaved(), ::testing::ElementsAre(8));
  stage.finish_server();
  stage.kill_server();
  for (int n = 0; n < 8; ++n) stage.kill_client(n);

  stage.start_server();
  ASSERT_TRUE(stage.server().done());
  EXPECT_THAT(stage.server().unsaved(), ::testing::ElementsAre(8));
  EXPECT_EQ(stage.server().last_plan()->versions, last.versions);
  stage.start_client(8);
  stage.settle();
  ASSERT_TRUE(stage.client(8).farewell());
  const StepNumber named = last.versions[8]->step;
  EXPECT_EQ(stage.client(8).model().rounded().at(named), shared_version(8, named));
  stage.report_finished(8);
  stage.settle();
  EXPECT_THAT(stage.server().unsaved(), ::testing::IsEmpty());
}

// The run ends while its last hello has to wait, since it has come back so often. It was left
// without its last model before: nobody let the hello pass.
TEST(AfterTheEnd, AHelloThatHadToWaitIsAnswered) {
  Stage stage(kFewRounds);
  stage.start();
  stage.run_until_round(20);
  for (int i = 0; i < 5; ++i) {  // four are taken at once
    stage.kill_client(8);
    stage.start_client(8);
    stage.run([&] { return !stage.server().board().lost(8); });
  }
  expect_good_end(stage);
  ASSERT_TRUE(stage.server().greeting_waits(8)) << stage.describe();
  const Plan last = *stage.server().last_plan();
  stage.settle();
  EXPECT_FALSE(stage.server().greeting_waits(8));
  ASSERT_TRUE(stage.client(8).farewell()) << stage.describe();
  EXPECT_EQ(stage.client(8).farewell()->ending, Ending::kFinished);
  expect_last_version(stage, 8, last);
}

// It is back and goes on, but its group, which another's death keeps still, is named by what it
// shared before.
TEST(AfterTheEnd, AClientThatCameBackBeforeTheEndHasTheVersionToo) {
  Stage stage(kFewRounds);
  stage.start();
  stage.run_until_round(7);
  const auto groups = stage.recorder.groups;
  const int first = groups.back()[0], second = groups.back()[1];
  stage.run_until_round(10);
  stage.kill_client(first);
  stage.run_until_round(11);
  stage.kill_client(second);
  stage.run_until_round(13);
  stage.start_client(second);
  stage.run();
  expect_good_end(stage);
  const auto& named = stage.server().last_plan()->versions[static_cast<std::size_t>(second)];
  EXPECT_LT(named->step, 13u);
  EXPECT_EQ(stage.client(second).model().rounded().at(named->step),
            shared_version(second, named->step));
}

}  // namespace
}  // namespace fedvs::protocol
