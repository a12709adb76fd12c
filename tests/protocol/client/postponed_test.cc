// Messages that came too soon.
#include "fedvs/protocol/client/postponed.h"

#include <gtest/gtest.h>

#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

MessagePtr model(int from, StepNumber step) {
  return make_message(ModelShare{from, {step, testing::incarnation(1)}, {}, {}});
}
std::vector<StepNumber> steps(const std::vector<MessagePtr>& models) {
  std::vector<StepNumber> steps;
  for (const auto& message : models) steps.push_back(std::get<ModelShare>(*message).version.step);
  return steps;
}

TEST(Postponed, HandsOnOnceAndInOrder) {
  Postponed postponed(/*apart=*/true);
  const std::vector messages{model(1, 5), model(0, 5), model(1, 6)};
  for (const auto& message : messages) {
    postponed.keep_for_welcome(message);
    postponed.keep_early(message);
  }
  EXPECT_EQ(postponed.take_for_welcome(), messages);
  EXPECT_EQ(postponed.take_early(), messages);
  EXPECT_TRUE(postponed.take_for_welcome().empty());
  EXPECT_TRUE(postponed.take_early().empty());
}

TEST(Postponed, ForgetsWhatWasForTheWelcomeOfAnEarlierLifeAndKeepsEarlyModels) {
  Postponed postponed(/*apart=*/true);
  postponed.keep_for_welcome(model(0, 1));
  postponed.keep_early(model(0, 1));
  postponed.forget_for_welcome();
  EXPECT_TRUE(postponed.take_for_welcome().empty());
  EXPECT_EQ(postponed.take_early().size(), 1u);
}

TEST(Postponed, AClientApartKeepsTheFirst64MessagesOfASenderForItsWelcome) {
  for (const bool apart : {true, false}) {
    Postponed postponed(apart);
    for (StepNumber step = 0; step < 100; ++step) postponed.keep_for_welcome(model(0, step));
    postponed.keep_for_welcome(model(1, 0));
    EXPECT_EQ(postponed.take_for_welcome().size(), apart ? 65u : 101u);
  }
}

TEST(Postponed, AClientApartKeepsTheNewestFourModelsOfASender) {
  Postponed postponed(/*apart=*/true);
  postponed.keep_early(model(1, 1));
  for (StepNumber step = 1; step <= 6; ++step) postponed.keep_early(model(0, step));
  EXPECT_EQ(steps(postponed.take_early()), (std::vector<StepNumber>{1, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace fedvs::protocol
