#include "fedvs/net/seal/replay_guard.h"

#include <gmock/gmock.h>

namespace fedvs::seal {
namespace {

Binding message(std::uint64_t id) {
  Binding b;
  b.from = 1;
  b.id = id;
  return b;
}

TEST(ReplayGuard, TakesGrowingIdsWithGaps) {
  ReplayGuard guard;
  for (const std::uint64_t id : {0, 1, 2, 10, 11}) EXPECT_TRUE(guard.admit(message(id))) << id;
}

TEST(ReplayGuard, RefusesARepeatedOrOlderId) {
  ReplayGuard guard;
  ASSERT_TRUE(guard.admit(message(5)));
  for (const std::uint64_t id : {5, 4, 0}) {
    const Status again = guard.admit(message(id));
    ASSERT_FALSE(again) << id;
    EXPECT_EQ(again.error().code, ErrorCode::kRefused);
    EXPECT_THAT(again.error().message, testing::HasSubstr("client 2 sent message"));
  }
  // A refused one changes nothing.
  EXPECT_TRUE(guard.admit(message(6)));
}

TEST(ReplayGuard, SendersLivesAndKindsCountApart) {
  ReplayGuard guard;
  ASSERT_TRUE(guard.admit(message(5)));
  Binding other_sender = message(5), other_life = message(5), other_kind = message(5);
  other_sender.from = 2;
  other_life.from_life[3] = 1;
  other_kind.kind = 1;
  for (const Binding& other : {other_sender, other_life, other_kind}) {
    EXPECT_TRUE(guard.admit(other));
    EXPECT_FALSE(guard.admit(other));
  }
}

TEST(ReplayGuard, AnEarlierLifesMessagesStayRefusedAfterARestart) {
  ReplayGuard guard;
  Binding restarted = message(0);
  restarted.from_life[0] = 9;
  ASSERT_TRUE(guard.admit(message(5)));
  ASSERT_TRUE(guard.admit(restarted));
  EXPECT_FALSE(guard.admit(message(5)));
}

TEST(ReplayGuard, ThePositionDoesNotMakeAMessageNew) {
  ReplayGuard guard;
  Binding moved = message(5);
  moved.position = 1;
  ASSERT_TRUE(guard.admit(message(5)));
  EXPECT_FALSE(guard.admit(moved));
}

}  // namespace
}  // namespace fedvs::seal
