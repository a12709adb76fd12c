// Which rows of the others a client holds, and of which sharing.
#include "fedvs/protocol/client/held_rows.h"

#include <gtest/gtest.h>

#include "fedvs/protocol/chunks.h"
#include "fedvs/v1/client_state.pb.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

constexpr int kClients = 7;
const Chunk kTest{data::Part::kTest, 0};  // four coded rows

SharingId sharing(std::uint8_t name) {
  SharingId made;
  made.bytes.fill(name);
  return made;
}

class HeldRowsTest : public ::testing::Test {
 protected:
  void add_all(HeldRows& held, int sender) {
    for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t) {
      held.add(sender, {part, first}, sharing(1));
    });
  }
  const Agreement agreement_ = testing::small_agreement();
  HeldRows held_{agreement_};
  std::vector<SharingId> named_ = std::vector<SharingId>(kClients, sharing(1));
};

TEST_F(HeldRowsTest, AreCompleteWhenTheLastChunkOfTheLastClientHasCome) {
  for (int sender = 0; sender < kClients; ++sender) {
    EXPECT_FALSE(held_.complete());
    add_all(held_, sender);
    EXPECT_EQ(held_.counts()[sender], 27u);
  }
  EXPECT_TRUE(held_.complete());
}

TEST_F(HeldRowsTest, AChunkCountsOnce) {
  held_.add(2, kTest, sharing(1));
  held_.add(2, kTest, sharing(1));
  EXPECT_EQ(held_.counts()[2], 4u);
  EXPECT_EQ(held_.sharing_of(2, kTest), sharing(1));
  EXPECT_FALSE(held_.holds(3, kTest));
}

TEST_F(HeldRowsTest, DropsChunksOfOtherSharingsThanTheOnesNamed) {
  held_.add(2, kTest, sharing(1));
  held_.add(3, kTest, sharing(1));
  EXPECT_FALSE(held_.drop_others(named_));
  named_[3] = sharing(2);
  EXPECT_TRUE(held_.drop_others(named_));
  EXPECT_TRUE(held_.holds(2, kTest));
  EXPECT_FALSE(held_.holds(3, kTest));
  EXPECT_EQ(held_.counts()[3], 0u);
}

TEST_F(HeldRowsTest, TellsWhoSharedAnewFromATornChunkToo) {
  held_.note_sharing(4, sharing(1));
  EXPECT_EQ(held_.shared_anew(named_), std::nullopt);
  named_[4] = sharing(2);
  EXPECT_EQ(held_.shared_anew(named_), 4);
  EXPECT_FALSE(held_.holds(4, kTest));
}

TEST_F(HeldRowsTest, RemembersSharingsOverARestart) {
  held_.add(4, kTest, sharing(1));
  v1::SavedClient saved;
  held_.save(saved);
  HeldRows later(agreement_);
  ASSERT_TRUE(later.restore(saved));
  named_[4] = sharing(2);
  EXPECT_EQ(later.shared_anew(named_), 4);
}

}  // namespace
}  // namespace fedvs::protocol
