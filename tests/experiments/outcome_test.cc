#include "fedvs/experiments/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fedvs/experiments/outcome_table.h"
#include "tests/experiments/runs.h"

namespace fedvs::experiments {
namespace {

using testing::ElementsAre;

TEST(SecondsTo, IsReadOffTheLineBetweenTwoEvaluations) {
  const Metrics run = run_of({{10, 0.5}, {20, 0.7}, {30, 0.6}, {40, 0.9}});
  EXPECT_DOUBLE_EQ(seconds_to(run, 0.6).value(), 15);  // half way from 0.5 to 0.7
  EXPECT_DOUBLE_EQ(seconds_to(run, 0.7).value(), 20);
  EXPECT_DOUBLE_EQ(seconds_to(run, 0.75).value(), 35);  // half way from 0.6 to 0.9
}

TEST(SecondsTo, IsTheFirstEvaluationForWhatThatReachesAlready) {
  EXPECT_DOUBLE_EQ(seconds_to(run_of({{10, 0.5}, {20, 0.7}}), 0.2).value(), 10);
}

TEST(SecondsTo, IsNothingForAnAccuracyNeverReached) {
  EXPECT_FALSE(seconds_to(run_of({{10, 0.5}, {20, 0.7}}), 0.71));
}

TEST(SecondsTo, IsTheMeanOfTheSeedsThatGetThere) {
  const Outcome line =
      line_of("a", {run_of({{10, 0.8}}), run_of({{10, 0.4}, {30, 0.8}}), run_of({{10, 0.4}})});
  const Reached reached = seconds_to(line, 0.6);
  EXPECT_EQ(reached.seeds, 2u);
  EXPECT_DOUBLE_EQ(reached.seconds, 15);  // of 10 and 20
}

TEST(Accuracy, AtTheEndAndAtBestHaveMeanAndRange) {
  const Outcome line = line_of("a", {run_of({{1, 0.9}, {2, 0.8}}), run_of({{1, 0.5}, {2, 0.6}})});
  EXPECT_DOUBLE_EQ(end_accuracy(line).mean, 0.7);
  EXPECT_DOUBLE_EQ(end_accuracy(line).low, 0.6);
  EXPECT_DOUBLE_EQ(end_accuracy(line).high, 0.8);
  EXPECT_DOUBLE_EQ(best_accuracy(line).mean, 0.75);
  EXPECT_TRUE(std::isnan(end_accuracy(line_of("none", {})).mean));
}

TEST(Accuracy, BestOfAllIsTheHighestMeanNotTheHighestRun) {
  const std::vector<Outcome> lines = {line_of("lucky", {run_of({{1, 0.9}}), run_of({{1, 0.5}})}),
                                      line_of("steady", {run_of({{1, 0.8}}), run_of({{1, 0.8}})}),
                                      line_of("none", {})};
  EXPECT_DOUBLE_EQ(best_accuracy(lines), 0.8);
}

TEST(SpeedUp, ComparesAtTheLargestShareThatAllSeedsReach) {
  // Given a best of 1.0: both reach 0.95, and only the quick one 0.99.
  const Outcome quick = line_of("quick", {run_of({{1, 0}, {11, 1.0}})});
  const Outcome slow = line_of("slow", {run_of({{0, 0}, {48, 0.96}})});
  const auto speed = speed_up(quick, slow, 1.0);
  ASSERT_TRUE(speed);
  EXPECT_DOUBLE_EQ(speed->share, 0.95);
  EXPECT_NEAR(speed->times, 47.5 / 10.5, 1e-12);
}

TEST(SpeedUp, IsNotKnownWhereOneNeverGetsThere) {
  const Outcome good = line_of("good", {run_of({{1, 1.0}})});
  const Outcome bad = line_of("bad", {run_of({{1, 0.5}})});
  EXPECT_FALSE(speed_up(bad, good, 1.0));
  EXPECT_FALSE(speed_up(line_of("none", {}), good, 1.0));
}

TEST(OutcomeTable, SaysWhatAHandWouldWorkOut) {
  // Given a best mean accuracy of 0.8: targets 0.72, 0.76 and 0.792.
  Outcome ours = line_of("fedvs", {run_of({{0, 0}, {10, 0.8}}), run_of({{0, 0}, {20, 0.8}})});
  ours.blocks = {4, 4};
  const Outcome wait =
      line_of("wait", {run_of({{0, 0}, {100, 0.8}}), run_of({{0, 0}, {100, 0.74}})});
  const auto table = outcome_table({ours, wait, line_of("vafl", {})}, {"wait", "missing"});
  EXPECT_THAT(table.columns,
              ElementsAre("method", "K", "seeds", "accuracy, %", "to 90 %, s", "to 95 %, s",
                          "to 99 %, s", "in all, s", "MB per client", "faster than wait"));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_THAT(table.rows[0], ElementsAre("fedvs", "4", "2 of 2", "80.00 (80.00–80.00)", "13.5",
                                         "14.25", "14.85", "15", "2", "6.94× at 90 %"));
  // wait takes 90 s and 100 * 0.72 / 0.74 = 97.30 s, 93.65 s on average.
  EXPECT_THAT(table.rows[1], ElementsAre("wait", "–", "2 of 2", "77.00 (74.00–80.00)", "93.65",
                                         "95 (1 of 2)", "99 (1 of 2)", "100", "2", "1× at 90 %"));
  EXPECT_THAT(table.rows[2], ElementsAre("vafl", "–", "0 of 0", "–", "–", "–", "–", "–", "–", "–"));
}

TEST(OutcomeTable, AsTextHasColumnsOfOneWidth) {
  const report::Table table{
      .caption = "", .columns = {"name", "x"}, .rows = {{"a–b", "1"}, {"c", "22"}}};
  EXPECT_EQ(text_of(table), "  name  x\n  a–b   1\n  c     22\n");
}

}  // namespace
}  // namespace fedvs::experiments
