#include "fedvs/party/run_clock.h"

#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

using std::chrono::seconds;

TEST(RunClock, GoesOnFromWhereTheRunHadBeen) {
  RunClock clock;
  const double before = clock.now();
  clock.go_on(1000);
  EXPECT_GE(clock.now(), 1000 + before);
}

TEST(RunClock, TellsWhenItWillBeThatLate) {
  RunClock clock;
  clock.go_on(1000);
  const auto from = RunClock::Clock::now();
  EXPECT_GE(clock.at(5000), from + seconds(3000));
  EXPECT_LE(clock.at(5000), from + seconds(5000));
}

TEST(RunClock, WhatIsPastIsNow) {
  RunClock clock;
  clock.go_on(1000);
  const auto past = clock.at(10);
  EXPECT_LE(past, RunClock::Clock::now());
}

TEST(Every, IsDueOncePerItsTime) {
  const RunClock::Clock::time_point start{};
  Every every(seconds(10), start);
  EXPECT_FALSE(every.due(start + seconds(9)));
  EXPECT_TRUE(every.due(start + seconds(10)));
  EXPECT_FALSE(every.due(start + seconds(19)));
  EXPECT_TRUE(every.due(start + seconds(35)));
  EXPECT_FALSE(every.due(start + seconds(44)));
}

}  // namespace
}  // namespace fedvs::party
