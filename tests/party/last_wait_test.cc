// How long a server stays after the end of a run.
#include "fedvs/party/last_wait.h"

#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

using std::chrono::seconds;
constexpr LastWait::Time kEnd{};  // of the run
constexpr auto kEach = seconds(5), kMost = seconds(600);

TEST(LastWait, ItIsLongerWhenAClientHasSaved) {
  LastWait wait(kEnd, kEach, kMost, /*unsaved=*/6);
  EXPECT_EQ(wait.until(), kEnd + kEach);
  wait.note_unsaved(kEnd + seconds(1), 6);
  EXPECT_EQ(wait.until(), kEnd + kEach);
  wait.note_unsaved(kEnd + seconds(2), 4);
  EXPECT_EQ(wait.until(), kEnd + seconds(2) + kEach);
}

TEST(LastWait, ItIsLongerWhileAClientCatchesUp) {
  LastWait wait(kEnd, kEach, kMost, 1);
  for (int i = 1; i <= 100; ++i) {
    const auto now = kEnd + seconds(4 * i);
    wait.note_fetched(now, 3, static_cast<std::uint64_t>(i) * LastWait::kStride);
    EXPECT_EQ(wait.until(), now + kEach);
  }
}

// Hellos from a step further on, or back where it began: the steps that there are have an end.
TEST(LastWait, GoingBackOrASingleStepFurtherDoesNotMakeItLonger) {
  LastWait wait(kEnd, kEach, kMost, 1);
  wait.note_fetched(kEnd, 3, 1000);
  for (const std::uint64_t steps : {1000u, 1001u, 1031u, 0u, 32u, 968u}) {
    wait.note_fetched(kEnd + seconds(4), 3, steps);
    EXPECT_EQ(wait.until(), kEnd + kEach) << steps;
  }
  wait.note_fetched(kEnd + seconds(4), 3, 1032);
  EXPECT_EQ(wait.until(), kEnd + seconds(4) + kEach);
}

TEST(LastWait, HasAnEndThoughSomebodyMovesAllTheTime) {
  LastWait wait(kEnd, kEach, kMost, 1);
  auto now = kEnd;
  for (std::uint64_t steps = 0; now <= wait.until(); now += seconds(1)) {
    wait.note_fetched(now, 3, steps += LastWait::kStride);
  }
  EXPECT_EQ(wait.until(), kEnd + kMost);
}

}  // namespace
}  // namespace fedvs::party
