// In which order, and by when, `fedvs up` ends its processes.
#include "fedvs/cli/up_ending.h"

#include <gtest/gtest.h>

namespace fedvs::cli {
namespace {

using Order = Ending::Order;
constexpr std::optional<int> kRuns = std::nullopt;

TEST(Ending, LeavesEverybodyAloneWhileTheServerRuns) {
  Ending ending;
  for (const double now : {0.0, 1e3, 1e6}) EXPECT_EQ(ending.next(now, 0, kRuns), Order::kNone);
}

TEST(Ending, OneSignalAsksTheServerFirstAndTheRestWhenItHasLeft) {
  Ending ending;
  EXPECT_EQ(ending.next(10, 1, kRuns), Order::kAskServer);
  EXPECT_EQ(ending.next(11, 1, kRuns), Order::kNone);
  EXPECT_EQ(ending.next(12, 1, 3), Order::kAskAll);
  EXPECT_EQ(ending.next(13, 1, 3), Order::kNone);
}

TEST(Ending, AServerThatDoesNotLeaveDelaysTheRestNoLongerThanItsTime) {
  Ending ending;
  EXPECT_EQ(ending.next(0, 1, kRuns), Order::kAskServer);
  EXPECT_EQ(ending.next(Ending::kServerSeconds - 1, 1, kRuns), Order::kNone);
  EXPECT_EQ(ending.next(Ending::kServerSeconds, 1, kRuns), Order::kAskAll);
}

TEST(Ending, WhoeverStaysIsKilled) {
  Ending ending;
  EXPECT_EQ(ending.next(0, 1, kRuns), Order::kAskServer);
  EXPECT_EQ(ending.next(5, 1, 3), Order::kAskAll);
  EXPECT_EQ(ending.next(5 + Ending::kLeaveSeconds - 1, 1, 3), Order::kNone);
  EXPECT_EQ(ending.next(5 + Ending::kLeaveSeconds, 1, 3), Order::kKillAll);
  EXPECT_EQ(ending.next(6 + Ending::kLeaveSeconds, 1, 3), Order::kKillAll);
}

TEST(Ending, ASecondSignalKillsAtOnceAtAnyStage) {
  Ending at_first;
  EXPECT_EQ(at_first.next(0, 2, kRuns), Order::kKillAll);
  Ending while_the_server_leaves;
  EXPECT_EQ(while_the_server_leaves.next(0, 1, kRuns), Order::kAskServer);
  EXPECT_EQ(while_the_server_leaves.next(1, 2, kRuns), Order::kKillAll);
  Ending after_the_run;
  EXPECT_EQ(after_the_run.next(0, 0, 0), Order::kNone);
  EXPECT_EQ(after_the_run.next(1, 2, 0), Order::kKillAll);
}

TEST(Ending, AfterAFinishedRunClientsMayLeaveByThemselves) {
  Ending ending;
  EXPECT_EQ(ending.next(100, 0, 0), Order::kNone);
  EXPECT_EQ(ending.next(101, 0, 0), Order::kNone);
  EXPECT_EQ(ending.next(100 + Ending::kFarewellSeconds, 0, 0), Order::kAskAll);
}

TEST(Ending, AfterAFailedServerClientsAreAskedAtOnce) {
  for (const int status : {1, 4, 5, 137}) {
    Ending ending;
    EXPECT_EQ(ending.next(0, 0, status), Order::kAskAll) << status;
  }
}

}  // namespace
}  // namespace fedvs::cli
