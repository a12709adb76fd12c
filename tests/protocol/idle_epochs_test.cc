// Epochs while some client of every group is away, so that nobody learns: none counts as trained.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::uint64_t kInSecondEpoch = 8;
constexpr int kEpochs = 3;

std::vector<int> one_of_every_group(const Stage& stage) {
  std::vector<int> members;
  for (const auto& group : stage.recorder.groups) members.push_back(group.back());
  return members;
}

bool stands_by(Stage& stage) {
  stage.run([&] { return stage.server().stands_by(); });
  return stage.server().stands_by();
}

struct Rounds {
  std::size_t all = 0, idle = 0;
};
std::map<int, Rounds> rounds_of_epochs(const Stage& stage) {
  std::map<int, Rounds> epochs;
  for (const auto& record : stage.recorder.rounds) {
    auto& rounds = epochs[record.plan->epoch];
    ++rounds.all;
    rounds.idle += record.idle ? 1 : 0;
  }
  return epochs;
}

void expect_every_epoch_trained(Stage& stage) {
  expect_good_end(stage);
  const auto epochs = rounds_of_epochs(stage);
  EXPECT_EQ(epochs.size(), static_cast<std::size_t>(kEpochs));
  for (const auto& [epoch, rounds] : epochs) {
    EXPECT_LT(rounds.idle, rounds.all) << epoch;
  }
  EXPECT_EQ(stage.server().finished_epochs(), kEpochs);
  EXPECT_EQ(stage.server().idle_epochs(), 0);
}

TEST(IdleEpochs, AServerThatStoodByAndIsStartedAgainCountsNoEpochTwice) {
  for (const char* late_models : {"protocol.late_models=reuse", "protocol.late_models=wait"}) {
    // Given a server that stands by after the second epoch, and is stopped,
    Stage stage(Sets{late_models, "protocol.max_age=3"});
    stage.start();
    stage.run_until_round(kInSecondEpoch);
    const auto away = one_of_every_group(stage);
    for (const int n : away) stage.kill_client(n);
    ASSERT_TRUE(stands_by(stage)) << stage.describe();
    EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("after epoch 2: no client learns")));
    stage.finish_server();
    stage.kill_server();
    // When all start again, then the third is trained too.
    stage.start_server();
    for (const int n : away) stage.start_client(n);
    stage.run();
    expect_every_epoch_trained(stage);
  }
}

// Nobody has noticed before the epoch began. Where all models are waited for, its first round is
// opened with old ones after that.
TEST(IdleEpochs, AnEpochWhoseFirstRoundNobodyLearnedFromWaitsBeforeTheNext) {
  Stage stage(Sets{"protocol.late_models=wait", "train.evaluate_every=3"});
  stage.start();
  stage.run([&] {
    const auto& last = stage.plans.rbegin();
    return last != stage.plans.rend() && last->second->training() && last->second->epoch == 2;
  });
  const auto away = one_of_every_group(stage);
  for (const int n : away) stage.kill_client(n, /*noticed=*/false);
  ASSERT_TRUE(stands_by(stage)) << stage.describe();
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("in epoch 3: no client learns")));
  EXPECT_EQ(rounds_of_epochs(stage)[2].idle, 1u);
  for (const int n : away) stage.start_client(n);
  stage.run();
  expect_every_epoch_trained(stage);
}

}  // namespace
}  // namespace fedvs::protocol
