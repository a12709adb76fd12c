#include "fedvs/base/human.h"

#include <gtest/gtest.h>

#include <limits>

namespace fedvs {
namespace {

TEST(Human, SecondsGetTheUnitsThatPeopleUse) {
  EXPECT_EQ(human_seconds(0), "0.0 s");
  EXPECT_EQ(human_seconds(9.94), "9.9 s");
  EXPECT_EQ(human_seconds(9.96), "10 s");
  EXPECT_EQ(human_seconds(119.4), "119 s");
  EXPECT_EQ(human_seconds(119.6), "2 m 00 s");
  EXPECT_EQ(human_seconds(7199), "119 m 59 s");
  EXPECT_EQ(human_seconds(7200), "2 h 00 m");
}

TEST(Human, TimesThatNobodyMeasuredAreAQuestion) {
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::quiet_NaN()), "?");
  EXPECT_EQ(human_seconds(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(human_seconds(1e300), "?");
}

TEST(Human, BytesHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(999.5), "1 kB");
  EXPECT_EQ(human_bytes(12'345'678), "12.3 MB");
  EXPECT_EQ(human_bytes(5e15), "5e+03 TB");
}

TEST(Human, ABarIsFullOnlyAtTheEnd) {
  EXPECT_EQ(bar(0, 4), "░░░░");
  EXPECT_EQ(bar(0.5, 4), "██░░");
  EXPECT_EQ(bar(0.999, 4), "███░");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(7, 4), "████");
  EXPECT_EQ(bar(-1, 4), "░░░░");
  EXPECT_EQ(bar(std::numeric_limits<double>::quiet_NaN(), 4), "░░░░");
}

}  // namespace
}  // namespace fedvs
