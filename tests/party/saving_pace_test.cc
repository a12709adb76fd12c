#include "fedvs/party/saving_pace.h"

#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SavingPace::Time kStart{};
constexpr protocol::StepNumber kSteps = 10;

TEST(SavingPace, SavesAfterTheUsualTime) {
  const SavingPace pace(kStart, seconds(15), kSteps);
  EXPECT_FALSE(pace.is_due(kStart + seconds(14), 0));
  EXPECT_TRUE(pace.is_due(kStart + seconds(15), 0));
}

TEST(SavingPace, WhereSavingTakesLongItIsDoneLessOften) {
  SavingPace pace(kStart, seconds(15), kSteps);
  const auto saved = kStart + seconds(2);
  pace.note_saved(kStart, saved, 0);
  EXPECT_FALSE(pace.is_due(saved + seconds(39), 0));
  EXPECT_TRUE(pace.is_due(saved + seconds(40), 0));
  pace.hurry();
  EXPECT_FALSE(pace.is_due(saved + seconds(39), 0));
}

TEST(SavingPace, AHurrySavesAtOnceAndOnce) {
  SavingPace pace(kStart, seconds(15), kSteps);
  pace.hurry();
  EXPECT_TRUE(pace.is_due(kStart, 0));
  pace.note_saved(kStart, kStart + milliseconds(1), 0);
  EXPECT_FALSE(pace.is_due(kStart + seconds(10), 0));
}

TEST(SavingPace, AModelFarAheadOfTheSavedOneIsSavedAtOnce) {
  SavingPace pace(kStart, seconds(15), kSteps);
  EXPECT_FALSE(pace.is_due(kStart, kSteps));
  EXPECT_TRUE(pace.is_due(kStart, kSteps + 1));
  pace.note_saved(kStart, kStart, kSteps + 1);
  EXPECT_FALSE(pace.is_due(kStart, kSteps + 1));
  EXPECT_FALSE(pace.is_due(kStart, 0));  // of another run: not ahead
}

}  // namespace
}  // namespace fedvs::party
