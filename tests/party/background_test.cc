// What a client does when nothing more urgent waits, and in which order.
#include "fedvs/party/background.h"

#include <gtest/gtest.h>

#include <string>

namespace fedvs::party {
namespace {

using protocol::kServer;

class BackgroundTest : public ::testing::Test {
 protected:
  // A task that writes its letter down: m for a mask, or the number of who asks for rows.
  void add(int rows_for, int times) {
    for (int i = 0; i < times; ++i) {
      background_.add({.background = true, .rows_for = rows_for, .run = [this, rows_for] {
                         done_ += rows_for == kServer ? "m" : std::to_string(rows_for);
                         return protocol::Effects{};
                       }});
    }
  }
  std::string done(bool rows_too) {
    done_.clear();
    while (auto task = background_.next(rows_too)) task->run();
    return done_;
  }
  Background background_;
  std::string done_;
};

// In one queue 100 requests of one client kept every mask that was dealt later waiting.
TEST_F(BackgroundTest, MasksAreDealtThoughSomebodyAsksForManyRows) {
  add(3, 100);
  add(kServer, 8);
  EXPECT_EQ(done(true), "mmmm3mmmm3" + std::string(98, '3'));
  EXPECT_TRUE(background_.empty());
}

TEST_F(BackgroundTest, ThoseWhoAskForRowsTakeTurns) {
  add(3, 5);
  add(0, 2);
  add(7, 1);
  EXPECT_EQ(done(true), "03703333");
}

TEST_F(BackgroundTest, RowsWaitForRoomOnTheLinkAndMasksDoNot) {
  add(3, 2);
  add(kServer, 6);
  EXPECT_EQ(done(false), "mmmmmm");
  EXPECT_FALSE(background_.empty());
  EXPECT_FALSE(background_.has_next(false));
  EXPECT_TRUE(background_.has_next(true));
  EXPECT_EQ(done(true), "33");
}

TEST_F(BackgroundTest, NothingIsLeftOfAConnectionThatIsGone) {
  add(3, 2);
  add(kServer, 2);
  background_.clear();
  EXPECT_TRUE(background_.empty());
  EXPECT_EQ(done(true), "");
}

}  // namespace
}  // namespace fedvs::party
