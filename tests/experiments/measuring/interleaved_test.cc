#include "fedvs/experiments/measuring/interleaved.h"

#include <gmock/gmock.h>

namespace fedvs::measuring {
namespace {

TEST(Spread, IsTheLeastTheMiddleAndTheLargest) {
  const Spread spread = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(spread.min, 1);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.max, 5);
}

TEST(TimeInterleaved, TakesTurnsAndWarmsUpFirst) {
  std::vector<char> order;
  const auto spreads = time_interleaved(
      {[&] { order.push_back('a'); }, [&] { order.push_back('b'); }}, /*repetitions=*/3,
      /*least_seconds=*/0);
  EXPECT_THAT(order, testing::ElementsAre('a', 'b', 'a', 'b', 'a', 'b', 'a', 'b'));
  EXPECT_EQ(spreads.size(), 2u);
}

}  // namespace
}  // namespace fedvs::measuring
