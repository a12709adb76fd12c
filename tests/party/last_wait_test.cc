// How long a server stays after the end of a run.
#include "fedvs/party/last_wait.h"

#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

using std::chrono::seconds;
constexpr LastWait::Time kEnd{};  // of the run
constexpr auto kEach = seconds(5);

TEST(LastWait, ItIsLongerWhenAClientHasSaved) {
  LastWait wait(kEnd, kEach, /*unsaved=*/6);
  EXPECT_EQ(wait.until(), kEnd + kEach);
  wait.note_unsaved(kEnd + seconds(1), 6);
  EXPECT_EQ(wait.until(), kEnd + kEach);
  wait.note_unsaved(kEnd + seconds(2), 4);
  EXPECT_EQ(wait.until(), kEnd + seconds(2) + kEach);
}

TEST(LastWait, ItIsLongerWhileAClientCatchesUp) {
  LastWait wait(kEnd, kEach, 1);
  for (int i = 1; i <= 100; ++i) {
    const auto now = kEnd + seconds(4 * i);
    wait.note_fetched(now, 3, static_cast<std::uint64_t>(i) * LastWait::kStride);
    EXPECT_EQ(wait.until(), now + kEach);
  }
}

// A client that says hello again and again, each time a step further on or back where it began, and
// never that it has saved: it is given one wait per 32 of the steps that there are.
TEST(LastWait, OneClientCannotMakeItEndless) {
  constexpr std::uint64_t kSteps = 10'000;
  LastWait wait(kEnd, kEach, 1);
  auto now = kEnd;
  std::uint64_t said = 0;
  while (now < wait.until()) {
    wait.note_fetched(now, 3, said % kSteps);
    wait.note_unsaved(now, 1);
    now += seconds(1);
    ++said;
  }
  EXPECT_LE(now - kEnd, (kSteps / LastWait::kStride + 2) * kEach);
  EXPECT_GE(said, 5u);
}

}  // namespace
}  // namespace fedvs::party
