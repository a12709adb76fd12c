// One client of a run on the stage is in the hands of a driver whose journal and outbox are the
// test's.
#include "fedvs/drive/client_driver.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "tests/support/stage.h"

namespace fedvs::drive {
namespace {

using protocol::MessagePtr;

class ClientDriverTest : public ::testing::Test, public ClientJournal, public Outbox {
 protected:
  static constexpr int kDriven = 8;

  // Everybody has said hello; from then on the client is the test's.
  void begin(const fedvs::testing::Sets& sets) {
    stage_ = std::make_unique<fedvs::testing::Stage>(sets);
    stage_->lose = [this](int, int to, const protocol::Message& message) {
      if (to == kDriven) inbox_.push_back(protocol::make_message(message));
      return to == kDriven;
    };
    stage_->start();
    driver_ = std::make_unique<ClientDriver>(client(), *this, *this);
  }
  protocol::Client& client() { return stage_->client(kDriven); }
  // Until `stop`. The client does what is in the background at once, or, without `rows`, never.
  void run(const std::function<bool()>& stop, bool rows = true) {
    stage_->run([&] {
      while (!inbox_.empty() && !stop()) receive_next();
      while (rows && driver_->has_background()) EXPECT_TRUE(driver_->run_background());
      return stop();
    });
  }
  void receive_next() {
    const auto message = inbox_.front();
    inbox_.pop_front();
    status_ = driver_->receive(message);
  }

  Status note(const MessagePtr& message) override {
    const auto* step = std::get_if<protocol::Step>(message.get());
    if (fails_with_plan_ && step != nullptr && step->plan) {
      return Error{ErrorCode::kBadFile, "no space left"};
    }
    const auto* request = std::get_if<protocol::DataRequest>(message.get());
    if (request != nullptr && request->from != kDriven) ++asked_by_others_;
    if (step != nullptr && step->plan) noted_plans_.insert(step->plan->revision);
    return {};
  }
  void note_broken_off() override {
    ++broken_off_;
    EXPECT_EQ(count<protocol::Refusal>(), 0) << "somebody was told before it was noted";
  }
  void send(int to, protocol::Lane, const MessagePtr& message) override {
    if (const auto* upload = std::get_if<protocol::Upload>(message.get())) {
      EXPECT_TRUE(noted_plans_.contains(upload->revision)) << "answered before it was noted";
    }
    sent_.push_back(message);
    stage_->say(kDriven, to, *message);
  }
  template <class M>
  std::ptrdiff_t count() const {
    return std::ranges::count_if(sent_,
                                 [](const auto& m) { return std::holds_alternative<M>(*m); });
  }

  std::unique_ptr<fedvs::testing::Stage> stage_;
  std::unique_ptr<ClientDriver> driver_;
  std::deque<MessagePtr> inbox_;
  std::vector<MessagePtr> sent_;
  std::set<std::uint64_t> noted_plans_;
  bool fails_with_plan_ = false;
  int broken_off_ = 0, asked_by_others_ = 0;
  Status status_;
};

TEST_F(ClientDriverTest, NoPlanIsAnsweredBeforeItIsNoted) {
  begin({});
  run([this] { return stage_->server().rounds() >= 5; });
  EXPECT_GE(count<protocol::Upload>(), 5);  // send() has looked at each of them
}

TEST_F(ClientDriverTest, AfterAnErrorOfTheJournalNothingIsSentAndTheClientIsNotCalled) {
  begin({});
  run([this] { return stage_->server().rounds() >= 2; });
  // When a plan cannot be noted,
  fails_with_plan_ = true;
  std::size_t sent = 0;
  run([this, &sent] {
    if (status_) sent = sent_.size();
    return !status_;
  });
  // then it is not answered, and what comes next is not judged.
  ASSERT_FALSE(status_);
  fails_with_plan_ = false;
  const auto plan = client().plan();
  while (!inbox_.empty() || stage_->server().rounds() < 4) {
    while (!inbox_.empty()) receive_next();
    run([this] { return !inbox_.empty(); });
  }
  EXPECT_EQ(client().plan(), plan);
  EXPECT_EQ(sent_.size(), sent);
  EXPECT_EQ(status_.error().message, "no space left");
  EXPECT_FALSE(driver_->come_back());
  EXPECT_EQ(sent_.size(), sent);
}

TEST_F(ClientDriverTest, AModelThatDoesNotFitIsWithdrawnAndTheOthersAreToldOnce) {
  // Given scales so fine that no model fits.
  begin({"code.K=1", "code.l_x=12", "code.l_w=16"});
  run([this] { return broken_off_ > 0; });
  EXPECT_EQ(count<protocol::ModelShare>(), 0);
  EXPECT_EQ(count<protocol::Refusal>(), 1);
  for (const auto& message : std::exchange(inbox_, {})) EXPECT_TRUE(driver_->receive(message));
  EXPECT_EQ(broken_off_, 1);
  EXPECT_EQ(count<protocol::ModelShare>(), 0);
}

TEST_F(ClientDriverTest, RowsAreSentWhenItsOwnerHasTimeOneTaskAfterTheOther) {
  begin({});
  run([this] { return asked_by_others_ >= 2 && driver_->has_background(); }, /*rows=*/false);
  EXPECT_EQ(count<protocol::DataShare>(), 0);
  while (count<protocol::DataShare>() == 0) ASSERT_TRUE(driver_->run_background());
  EXPECT_EQ(count<protocol::DataShare>(), 1);
  ASSERT_TRUE(driver_->has_background());
  driver_->forget_background();
  ASSERT_TRUE(driver_->run_background());
  EXPECT_EQ(count<protocol::DataShare>(), 1);
}

}  // namespace
}  // namespace fedvs::drive
