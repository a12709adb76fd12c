#include "fedvs/experiments/time_left.h"

#include <gtest/gtest.h>

#include <vector>

namespace fedvs::experiments {
namespace {

TEST(TimeLeft, IsTheExpectedTimeWhileNothingHasEnded) {
  const std::vector<Expected> runs = {{10, 0}, {20, 0}, {30, 0}};
  EXPECT_DOUBLE_EQ(TimeLeft().estimate(runs, 1), 60);
  EXPECT_DOUBLE_EQ(TimeLeft().estimate(runs, 2), 30);
  EXPECT_DOUBLE_EQ(TimeLeft().estimate(runs, 8), 30);  // no sooner than the longest
}

TEST(TimeLeft, IsCorrectedByWhatEndedRunsTook) {
  TimeLeft left;
  left.ended(/*expected_seconds=*/10, /*seconds=*/30);
  const std::vector<Expected> runs = {{10, /*elapsed=*/5}, {20, 0}};
  EXPECT_DOUBLE_EQ(left.estimate(runs, 1), 25 + 60);
}

TEST(TimeLeft, OfARunThatTakesLongerThanExpectedIsNothing) {
  const std::vector<Expected> runs = {{10, 50}};
  EXPECT_DOUBLE_EQ(TimeLeft().estimate(runs, 1), 0);
}

}  // namespace
}  // namespace fedvs::experiments
