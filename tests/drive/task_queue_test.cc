// What a party has to do, and in which order.
#include "fedvs/drive/task_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace fedvs::drive {
namespace {

class TaskQueueTest : public ::testing::Test {
 protected:
  // A task that writes its name down.
  protocol::Task named(const std::string& name) {
    return {.run = [this, name] {
      done_ += name;
      return protocol::Effects{};
    }};
  }
  // So many that write down who asked for rows.
  void add_rows(int rows_for, int times) {
    for (int i = 0; i < times; ++i) {
      auto task = named(std::to_string(rows_for));
      task.background = true;
      task.rows_for = rows_for;
      queue_.add({task});
    }
  }
  std::string run_all() {
    while (auto task = queue_.next()) task->run();
    return done_;
  }
  TaskQueue queue_;
  std::string done_;
};

TEST_F(TaskQueueTest, WhoComesFirstIsServedFirst) {
  queue_.add({named("a"), named("b")});
  queue_.next()->run();
  queue_.add({named("c")});  // as if it followed from a
  EXPECT_EQ(run_all(), "abc");
}

TEST_F(TaskQueueTest, WhatIsInTheBackgroundRunsWhenNothingElseWaits) {
  add_rows(3, 1);
  queue_.add({named("a")});
  EXPECT_TRUE(queue_.has_background());
  EXPECT_EQ(run_all(), "a3");
  EXPECT_FALSE(queue_.has_background());
}

TEST_F(TaskQueueTest, WhatIsUrgentCanBeRunAlone) {
  add_rows(3, 1);
  queue_.add({named("a"), named("b")});
  while (auto task = queue_.next_urgent()) task->run();
  EXPECT_EQ(done_, "ab");
}

TEST_F(TaskQueueTest, ThoseWhoAskForRowsTakeTurns) {
  add_rows(3, 5);
  add_rows(0, 2);
  add_rows(7, 1);
  EXPECT_EQ(run_all(), "03703333");
}

TEST_F(TaskQueueTest, NothingIsLeftOfAConnectionThatIsGone) {
  add_rows(3, 2);
  queue_.add({named("a")});
  queue_.forget_background();
  EXPECT_EQ(run_all(), "a");
}

}  // namespace
}  // namespace fedvs::drive
