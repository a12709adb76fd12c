// Sharing rows takes as long as it takes: what ends a run is that nothing moves any more, and then
// it says between whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::kReuse;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr double kDeadAfter = 5;
const Sets kShort = {"protocol.late_models=reuse", "protocol.dead_after=5"};

bool is_rows(const Message& m) { return std::holds_alternative<DataShare>(m); }

// Chunks of client 6 leave one by one, each after the one before it.
void slow_down(Stage& stage, double seconds) {
  stage.takes = [&stage, seconds, free = 0.0](int from, int to, const Message& m) mutable {
    if (from != 5 || to == 5 || !is_rows(m)) return 0.0;
    free = std::max(free, stage.now()) + seconds;
    return free - stage.now();
  };
}

TEST(Sharing, TakesAsLongAsItMustWhileRowsCome) {
  Stage stage(kShort, /*wait_for_return=*/0);
  slow_down(stage, 8 * kDeadAfter);  // 24 chunks
  stage.start();
  stage.run([&] { return stage.server().training_started(); });
  EXPECT_GT(stage.now(), 100 * kDeadAfter);
  stage.run();
  expect_good_end(stage);
}

TEST(Sharing, TellsHowFarEveryPairIsAndHowLongItWillTake) {
  Stage stage(kShort, /*wait_for_return=*/0);
  slow_down(stage, 8 * kDeadAfter);
  stage.start();
  EXPECT_LT(stage.server().sharing().seconds_left(stage.now()), 0) << "nobody knows yet";
  stage.run([&] { return stage.now() > 100 * kDeadAfter; });
  const auto& sharing = stage.server().sharing();
  for (int n = 0; n < 9; ++n) EXPECT_EQ(sharing.held(n, 0), 1) << n;
  double least = 1;  // of client 6's rows, at whoever gets them last
  for (int n = 0; n < 9; ++n) least = std::min(least, sharing.held(n, 5));
  EXPECT_LT(least, 1);
  EXPECT_GT(sharing.held_by_all(), 0.9);
  EXPECT_LT(sharing.held_by_all(), 1);
  EXPECT_GT(sharing.seconds_left(stage.now()), 0);
  EXPECT_THAT(sharing.unfinished(), HasSubstr("coded rows of client 6"));
}

TEST(Sharing, APairThatStandsStillEndsTheRunByName) {
  Stage stage(kShort, /*wait_for_return=*/0);
  int asked = 0;
  stage.lose = [&](int from, int to, const Message& m) {
    asked += from == 7 && to == 4 && std::holds_alternative<DataRequest>(m) ? 1 : 0;
    return from == 4 && to == 7 && is_rows(m);
  };
  stage.start();
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_EQ(stage.server().status().error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(stage.server().status().error().message,
              HasSubstr("client 8 holds 0 of 87 coded rows of client 5"));
  EXPECT_GT(asked, 6) << "and not without having asked again";
  EXPECT_LT(stage.now(), 12 * kDeadAfter);
}

TEST(Sharing, AChunkThatWasLostIsAskedForAgain) {
  Stage stage(kShort, /*wait_for_return=*/0);
  std::set<std::tuple<int, data::Part, std::size_t>> lost;
  stage.lose = [&](int, int to, const Message& m) {
    const auto* share = std::get_if<DataShare>(&m);
    return share != nullptr && to == 7 &&
           lost.emplace(share->from, share->part, share->first_row).second;
  };
  stage.start();
  stage.run();
  EXPECT_GT(lost.size(), 8u);
  expect_good_end(stage);
}

// The first before it has found that all have the same rows, or right after: it must find out anew,
// though the others know.
TEST(Sharing, SurvivesKillsAndAnAbsenceLongerThanDeadAfter) {
  for (const int victim : {0, 3}) {
    Stage stage(kShort);
    slow_down(stage, kDeadAfter);
    stage.start();
    stage.run([&] { return stage.now() > 10 * kDeadAfter; });
    ASSERT_FALSE(stage.server().training_started());
    stage.kill_client(victim);
    stage.start_client(victim);
    stage.run([&] { return stage.now() > 14 * kDeadAfter; });
    ASSERT_FALSE(stage.server().training_started());
    stage.kill_client(5);
    stage.run([&] { return stage.now() > 20 * kDeadAfter; });
    EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("no sign of clients 6")));
    stage.start_client(5);
    stage.run();
    expect_good_end(stage);
  }
}

}  // namespace
}  // namespace fedvs::protocol
