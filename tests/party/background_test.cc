// What a client does when nothing more urgent waits, and in which order.
#include "fedvs/party/background.h"

#include <gtest/gtest.h>

#include <string>

namespace fedvs::party {
namespace {

class BackgroundTest : public ::testing::Test {
 protected:
  // A task that writes down who asked for rows.
  void add(int rows_for, int times) {
    for (int i = 0; i < times; ++i) {
      background_.add({.background = true, .rows_for = rows_for, .run = [this, rows_for] {
                         done_ += std::to_string(rows_for);
                         return protocol::Effects{};
                       }});
    }
  }
  std::string done() {
    done_.clear();
    while (auto task = background_.next()) task->run();
    return done_;
  }
  Background background_;
  std::string done_;
};

TEST_F(BackgroundTest, ThoseWhoAskForRowsTakeTurns) {
  add(3, 5);
  add(0, 2);
  add(7, 1);
  EXPECT_EQ(done(), "03703333");
}

TEST_F(BackgroundTest, NothingIsLeftOfAConnectionThatIsGone) {
  add(3, 2);
  background_.clear();
  EXPECT_TRUE(background_.empty());
  EXPECT_EQ(done(), "");
}

}  // namespace
}  // namespace fedvs::party
