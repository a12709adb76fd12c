// A client's machine stops for good: its group freezes, it is released, or the run stops; and no
// wait is unbounded.
#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Sets;

std::unique_ptr<testing::Trial> killed(const Sets& sets, const std::vector<int>& victims,
                                       std::size_t after_rounds) {
  auto trial = testing::make_world(sets);
  trial->tamper();
  trial->run([&] {
    return trial->world->server().training_started() && trial->rounds().size() >= after_rounds;
  });
  for (int victim : victims) {
    trial->world->simulator().kill(victim, trial->world->simulator().now());
  }
  trial->run();
  return trial;
}

const std::vector<int>& group_of(const testing::Trial& trial, int client) {
  for (const auto& group : trial.recorder.groups) {
    if (std::ranges::find(group, client) != group.end()) return group;
  }
  throw std::logic_error("no group");
}

protocol::StepNumber last_step(const testing::Trial& trial, int client) {
  return trial.rounds().back().plan->versions[static_cast<std::size_t>(client)]->step;
}

constexpr int kVictim = 3;

class FreezeGroup : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

TEST_P(FreezeGroup, TheDeadClientsGroupIsFrozenWhileTheOthersGoOn) {
  const auto [late_models, round] = GetParam();
  const auto trial =
      killed({"protocol.late_models=" + late_models, "train.epochs=6"}, {kVictim}, round);
  ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
  EXPECT_THAT(trial->recorder.notes, Contains(HasSubstr("client 4 declared dead")));
  EXPECT_EQ(trial->recorder.evaluations.size(), 6u);
  const auto& frozen = group_of(*trial, kVictim);
  const auto last = trial->rounds().size() - 1;
  for (int n = 0; n < 9; ++n) {
    const bool with_victim = std::ranges::find(frozen, n) != frozen.end();
    if (with_victim) {
      EXPECT_LE(last_step(*trial, n), round + 1) << n;
      EXPECT_EQ(last_step(*trial, n), last_step(*trial, kVictim)) << n;
    } else {
      EXPECT_GE(last_step(*trial, n) + 10, last) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(MidRunAndWarmUp, FreezeGroup,
                         ::testing::Combine(::testing::Values("reuse", "wait", "drop"),
                                            ::testing::Values(0, 2, 9)));

TEST(DeadClient, IsReleasedFromItsGroupWhereTheJobSaysSo) {
  const auto trial = killed({"protocol.on_dead=release", "train.epochs=6"}, {kVictim}, 9);
  ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
  EXPECT_THAT(trial->recorder.notes, Contains(HasSubstr("client 4 released from its group")));
  EXPECT_LE(last_step(*trial, kVictim), 10u);
  for (int n : group_of(*trial, kVictim)) {
    if (n == kVictim) continue;
    EXPECT_GT(last_step(*trial, n), 25u) << n;
  }
}

TEST(DeadClient, StopsTheRunWhereTheJobSaysSo) {
  const auto trial = killed({"protocol.on_dead=stop", "train.epochs=6"}, {kVictim}, 9);
  const Status status = trial->world->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(status.error().message,
              HasSubstr("client 4 is dead and protocol.on_dead is \"stop\""));
}

TEST(DeadClient, TheRunEndsAfterThreeEpochsLikeAnyOtherWhicheverClientDies) {
  for (int victim = 0; victim < 9; ++victim) {
    const auto trial = killed({}, {victim}, 7);
    EXPECT_TRUE(trial->world->status()) << trial->world->status().error().message;
    EXPECT_EQ(trial->recorder.evaluations.size(), 3u);
  }
}

TEST(DeadClient, AsManyAsMayStraggleCanDie) {
  const auto trial = killed({}, {0, 2, 5, 8}, 8);
  ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
  for (const auto& record : trial->rounds()) {
    if (record.plan->round < 9) continue;
    EXPECT_EQ(record.responders.size(), 5u);
  }
}

class TooManyDead : public ::testing::TestWithParam<std::tuple<std::string, std::size_t>> {};

TEST_P(TooManyDead, StopTheRunWithAnErrorThatNamesThem) {
  const auto [late_models, round] = GetParam();
  const auto trial = killed({"protocol.late_models=" + late_models}, {0, 2, 5, 6, 8}, round);
  const Status status = trial->world->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(status.error().message,
              HasSubstr("4 clients are left and R = 5 are needed; no sign of clients 1 3 6 7 9"));
}

INSTANTIATE_TEST_SUITE_P(MidRunAndWarmUp, TooManyDead,
                         ::testing::Combine(::testing::Values("reuse", "wait", "drop"),
                                            ::testing::Values(2, 8)));

TEST(DeadClient, InTheSetupEndsTheRunWithAnError) {
  auto trial = testing::make_world({});
  trial->world->simulator().kill(kVictim, 1e-4);
  trial->run();
  const Status status = trial->world->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(status.error().message, HasSubstr("before training: no sign of clients 4"));
}

}  // namespace
}  // namespace fedvs
