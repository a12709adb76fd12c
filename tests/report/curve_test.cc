#include "fedvs/report/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fedvs::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MeanAndSpread, OneRunIsItsOwnMeanWithoutSpread) {
  const Curve curve = mean_and_spread({{{1, 10}, {2, 30}, {4, 20}}});
  EXPECT_THAT(curve.x, ElementsAre(1, 2, 4));
  EXPECT_THAT(curve.mean, ElementsAre(10, 30, 20));
  EXPECT_EQ(curve.low, curve.mean);
  EXPECT_EQ(curve.high, curve.mean);
}

TEST(MeanAndSpread, RunsWithOtherPointsAreReadBetweenThem) {
  // Run 1 goes 0, 10, 20 at x = 0, 2, 4; run 2 goes 4, 12 at x = 1, 5. Common to both: 1 to 4.
  //   x     run 1   run 2
  //   1       5       4
  //   2      10       6
  //   4      20      10
  const Curve curve = mean_and_spread({{{0, 0}, {2, 10}, {4, 20}}, {{1, 4}, {5, 12}}});
  EXPECT_THAT(curve.x, ElementsAre(1, 2, 4));
  EXPECT_THAT(curve.mean, ElementsAre(4.5, 8, 15));
  EXPECT_THAT(curve.low, ElementsAre(4, 6, 10));
  EXPECT_THAT(curve.high, ElementsAre(5, 10, 20));
}

TEST(MeanAndSpread, EndsWhereTheShortestRunEnds) {
  const Curve curve = mean_and_spread({{{0, 1}, {1, 1}}, {{0, 3}, {1, 3}, {2, 9}}});
  EXPECT_THAT(curve.x, ElementsAre(0, 1));
  EXPECT_THAT(curve.mean, ElementsAre(2, 2));
}

TEST(MeanAndSpread, EveryRunCountsOnceHoweverManyPointsItHas) {
  const Curve curve =
      mean_and_spread({{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, {{0, 3}, {3, 3}}, {{0, 6}, {3, 6}}});
  EXPECT_THAT(curve.x, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(curve.mean, ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(curve.low, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(curve.high, ElementsAre(6, 6, 6, 6));
}

TEST(MeanAndSpread, OfEqualXTheLastCountsAndWhatWasNotMeasuredIsLeftOut) {
  const Curve curve = mean_and_spread({{{1, 5}, {1, 7}, {2, NAN}, {3, 9}}, {}, {{0, NAN}}});
  EXPECT_THAT(curve.x, ElementsAre(1, 3));
  EXPECT_THAT(curve.mean, ElementsAre(7, 9));
}

TEST(MeanAndSpread, NothingInCommonIsAnEmptyCurve) {
  EXPECT_THAT(mean_and_spread({}).x, IsEmpty());
  EXPECT_THAT(mean_and_spread({{}, {}}).x, IsEmpty());
  EXPECT_THAT(mean_and_spread({{{0, 1}, {1, 1}}, {{2, 1}, {3, 1}}}).x, IsEmpty());
}

TEST(MeanAndSpread, ManyPointsAreThinnedButTheEndsStay) {
  Points run;
  for (int i = 0; i <= 100000; ++i) run.emplace_back(i, 2.0 * i);
  const Curve curve = mean_and_spread({run});
  EXPECT_EQ(curve.x.size(), kMostPoints);
  EXPECT_EQ(curve.x.front(), 0);
  EXPECT_EQ(curve.x.back(), 100000);
  for (std::size_t i = 0; i < curve.x.size(); ++i) EXPECT_EQ(curve.mean[i], 2 * curve.x[i]);
}

}  // namespace
}  // namespace fedvs::report
