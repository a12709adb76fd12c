// The server of a run on the stage is in the hands of a driver whose journal, outbox and clock are
// the test's.
#include "fedvs/drive/server_driver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>

#include "tests/support/stage.h"

namespace fedvs::drive {
namespace {

using protocol::MessagePtr;

class ServerDriverTest : public ::testing::Test, public ServerJournal, public Outbox {
 protected:
  ServerDriverTest() : stage_({}) {
    stage_.lose = [this](int, int to, const protocol::Message& message) {
      if (to == protocol::kServer) inbox_.push_back(protocol::make_message(message));
      return to == protocol::kServer;
    };
    stage_.start();
    driver_ = std::make_unique<ServerDriver>(stage_.server(), *this, *this,
                                             [this] { return stage_.now(); });
  }
  // Until so many rounds are over, or something went wrong with saving.
  void run_until_round(std::uint64_t round) {
    const auto stop = [&] { return !status_ || stage_.server().rounds() >= round; };
    stage_.run([&] {
      while (!inbox_.empty() && !stop()) receive_next();
      return stop();
    });
  }
  void receive_next() {
    const auto message = inbox_.front();
    inbox_.pop_front();
    if (status_) sent_before_ = sent_;
    status_ = driver_->receive(message);
  }
  // Everything that clients still say.
  void receive_rest() {
    stage_.deliver_all();
    while (!inbox_.empty()) receive_next();
  }

  Status save(Moment moment) override {
    if (full_) return Error{ErrorCode::kBadFile, "no space left"};
    ++saves_;
    last_ = moment == Moment::kLast;
    if (const auto* plan = stage_.server().last_plan()) saved_plans_ = plan->revision + 1;
    return {};
  }
  void send(int to, protocol::Lane, const MessagePtr& message) override {
    const auto* step = std::get_if<protocol::Step>(message.get());
    if (step != nullptr && step->plan) {
      EXPECT_LT(step->plan->revision, saved_plans_) << "sent before it was saved";
      ++plans_sent_;
    }
    ++sent_;
    stage_.say(protocol::kServer, to, *message);
  }

  fedvs::testing::Stage stage_;
  std::unique_ptr<ServerDriver> driver_;
  std::deque<MessagePtr> inbox_;
  std::uint64_t saved_plans_ = 0;  // all below this one are
  int saves_ = 0, plans_sent_ = 0, sent_ = 0;
  int sent_before_ = 0;  // the message that is received now, or the one that led to an error
  bool full_ = false, last_ = false;
  Status status_;
};

TEST_F(ServerDriverTest, NoPlanIsSentBeforeItIsSaved) {
  run_until_round(5);
  EXPECT_GE(plans_sent_, 5 * 9);  // send() has looked at each of them
}

TEST_F(ServerDriverTest, AfterAnErrorOfTheJournalNothingIsSentAndTheServerIsNotCalled) {
  run_until_round(2);
  full_ = true;
  run_until_round(3);
  ASSERT_FALSE(status_);
  full_ = false;
  const auto openings = stage_.server().openings();
  receive_rest();
  EXPECT_FALSE(driver_->tick());
  EXPECT_EQ(stage_.server().openings(), openings);
  EXPECT_EQ(sent_, sent_before_);
  EXPECT_EQ(status_.error().message, "no space left");
}

TEST_F(ServerDriverTest, AServerThatCouldNotWriteAGradientDownIsNotSavedAndNobodyHearsOfIt) {
  stage_.server_folder().gradients.full_from = 3;
  run_until_round(3);
  const int saves = saves_;
  run_until_round(4);
  ASSERT_FALSE(status_);
  EXPECT_EQ(status_.error().message, stage_.server().status().error().message);
  receive_rest();
  EXPECT_TRUE(driver_->save_last());
  EXPECT_EQ(saves_, saves);
  EXPECT_EQ(sent_, sent_before_);
}

TEST_F(ServerDriverTest, TheServerIsSavedForTheLastTimeOnceTrainingHasBegun) {
  EXPECT_TRUE(driver_->save_last());
  EXPECT_EQ(saves_, 0);
  run_until_round(1);
  EXPECT_FALSE(last_);
  EXPECT_TRUE(driver_->save_last());
  EXPECT_TRUE(last_);
}

TEST_F(ServerDriverTest, TheServerIsToldTheTimeWhenItsDeadlineHasPassed) {
  run_until_round(1);
  double now = stage_.now();
  const double deadline = stage_.server().next_deadline();
  ASSERT_TRUE(std::isfinite(deadline));
  ServerDriver later(stage_.server(), *this, *this, [&now] { return now; });
  EXPECT_TRUE(later.tick());
  EXPECT_EQ(stage_.server().next_deadline(), deadline);
  now = deadline;
  EXPECT_TRUE(later.tick());
  EXPECT_NE(stage_.server().next_deadline(), deadline);
}

}  // namespace
}  // namespace fedvs::drive
