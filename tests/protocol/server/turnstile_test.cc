// Messages of every client pass at a bounded rate.
#include "fedvs/protocol/server/turnstile.h"

#include <gtest/gtest.h>

#include <limits>

namespace fedvs::protocol {
namespace {

MessagePtr hello(StepNumber step) {
  Hello said{.from = 1, .incarnation = {}};
  said.step = step;
  return make_message(std::move(said));
}

StepNumber step_of(const MessagePtr& message) { return std::get<Hello>(*message).step; }

TEST(Turnstile, ABurstPassesThenTheNewestOfTheOthersInItsTime) {
  Turnstile turnstile(2, /*burst=*/3, /*seconds_each=*/5);
  for (StepNumber i = 0; i < 3; ++i) EXPECT_TRUE(turnstile.pass(0, 1, hello(i)));
  for (StepNumber i = 3; i < 1000; ++i) EXPECT_FALSE(turnstile.pass(0, 1, hello(i)));
  EXPECT_TRUE(turnstile.pass(0, 0, hello(0))) << "another client's have their own";
  EXPECT_EQ(turnstile.next(), 5);
  EXPECT_EQ(turnstile.due(4), nullptr);
  const auto kept = turnstile.due(5);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(step_of(kept), 999u);
  EXPECT_EQ(turnstile.due(1000), nullptr);
}

TEST(Turnstile, WhatWasSaidOverAConnectionThatIsGoneIsForgottenAndItsCostIsNot) {
  Turnstile turnstile(2, 1, 5);
  EXPECT_TRUE(turnstile.pass(0, 1, hello(0)));
  EXPECT_FALSE(turnstile.pass(0, 1, hello(1)));
  turnstile.forget(1);
  EXPECT_EQ(turnstile.next(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(turnstile.due(100), nullptr);
  EXPECT_TRUE(turnstile.pass(5, 1, hello(2)));
  turnstile.forget(1);
  EXPECT_FALSE(turnstile.pass(6, 1, hello(3))) << "coming again makes it no cheaper";
}

}  // namespace
}  // namespace fedvs::protocol
