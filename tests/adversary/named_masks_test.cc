// One chain that all clients agree on, mode prevent: every plan is shown to one camp, and the other
// is told of it as of one that it missed. The server names the same masks in two plans, and sees to
// it that the second camp does not know them when it is told of the first: by holding back the
// welcome of the lives that they are of, or by naming them before they are dealt. Under one mask
// the difference of two camps' uploads is the difference of the sums' polynomials, all of it.
#include <iostream>

#include "tests/adversary/camps.h"

namespace fedvs::adversary {
namespace {

using namespace protocol;  // NOLINT: a test's

constexpr int kClients = 9, kSizeOfA = 5;  // camp A: clients 1 to 5, the dealers 1 and 2 among them
constexpr int kDealers[] = {0, 1};

class NamedMasks : public ::testing::Test {
 protected:
  // Given training with an honest server, whose place the test takes.
  explicit NamedMasks(std::uint64_t rounds = 6)
      : stage_({"code.K=1", "protocol.equivocation=prevent", "protocol.late_models=wait"}) {
    stage_.tamper = [this](int from, int to, MessagePtr message) {
      return pass(from, to, wire::decode(stage_.agreement(), wire::encode(*message)).value());
    };
    stage_.start();
    stage_.run_until_round(rounds);
    stage_.take_over();
    stage_.deliver_all();
    taken_over_ = true;
    head_ = *last_->head;
    welcome_ = stage_.client(2).welcome();
    welcome_.training = true;
  }
  MessagePtr pass(int from, int to, MessagePtr message) {
    const auto* step = std::get_if<Step>(message.get());
    if (!taken_over_ && step != nullptr && step->plan) last_ = *step;
    if (!taken_over_) return message;
    if (const auto* refusal = std::get_if<Refusal>(message.get())) why_ = refusal->reason;
    if (const auto* upload = std::get_if<Upload>(message.get())) uploads_[upload->revision]++;
    const bool is_held_back = holds_back_ && from < 2 && to >= kSizeOfA;
    if (is_held_back) held_back_.emplace_back(from, to, message);
    return is_held_back ? nullptr : message;
  }

  void cut(std::initializer_list<int> clients) {
    for (int n : clients) {
      stage_.come_back(n);
      welcome_.clients[static_cast<std::size_t>(n)] = stage_.client(n).incarnation();
    }
    stage_.deliver_all();
  }
  void welcome(int from, int to) {
    for (int n = from; n < to; ++n) stage_.send_as_server(n, make_message(welcome_));
    stage_.deliver_all();
  }
  std::vector<MaskId> masks(std::uint64_t number) const {
    std::vector<MaskId> named;
    for (int dealer : kDealers) {
      named.push_back({.dealer = dealer,
                       .pool = MaskPool::kEvaluation,
                       .number = number,
                       .dealer_incarnation = welcome_.clients[static_cast<std::size_t>(dealer)],
                       .server_incarnation = welcome_.server});
    }
    return named;
  }
  // A plan for one camp, of which the other is told; how many upload.
  int show(Camp camp, std::vector<std::size_t> rows, const std::vector<MaskId>& masks) {
    const Step step = signed_step(std::move(rows), masks);
    for (int n = 0; n < kClients; ++n) {
      stage_.send_as_server(n, Camps::camp_of(n) == camp ? make_message(step)
                                                         : make_message(MissedPlan{.step = step}));
    }
    stage_.deliver_all();
    return uploads_[step.plan->revision];
  }
  Step signed_step(std::vector<std::size_t> rows, const std::vector<MaskId>& masks) {
    return signed_step(*last_, std::move(rows), masks);
  }
  Step signed_step(Step step, std::vector<std::size_t> rows, const std::vector<MaskId>& masks) {
    step.gradient = nullptr;
    step.share.assign(step.share.size(), false);
    Plan plan = *last_->plan;
    plan.revision += ++revisions_;
    plan.part = data::Part::kTest;
    plan.rows = std::move(rows);
    plan.masks = masks;
    step.plan = std::make_shared<const Plan>(std::move(plan));
    ++head_.index;
    head_.link = link_after(head_.link, head_.index, header_of(step, welcome_.sharings));
    head_.signature =
        stage_.server_key().sign(signed_text(stage_.run_name(), head_.index, head_.link));
    step.head = head_;
    return step;
  }

  testing::Stage stage_;
  std::optional<Step> last_;
  bool taken_over_ = false, holds_back_ = false;
  std::vector<std::tuple<int, int, MessagePtr>> held_back_;
  std::map<std::uint64_t, int> uploads_;  // by revision
  std::string why_;                       // the last refusal
  SignedHead head_;
  Welcome welcome_;
  std::uint64_t revisions_ = 0;
};

TEST_F(NamedMasks, AreKnownAsUsedThoughTheirDealersWelcomeWasHeldBack) {
  holds_back_ = true;
  cut({0, 1});
  welcome(0, kSizeOfA);  // not camp B, which gets nothing of the dealers' new lives
  holds_back_ = false;
  const auto masks_of_new_lives = masks(0);
  const int a = show(Camp::kA, {0, 1, 2, 3}, masks_of_new_lives);
  welcome(kSizeOfA, kClients);
  for (const auto& [from, to, message] : held_back_) {
    if (std::holds_alternative<MaskShare>(*message)) stage_.say(from, to, *message);
  }
  stage_.deliver_all();
  cut({0, 1});
  welcome(0, kSizeOfA);  // the dealers do not know their own masks again
  const int b = show(Camp::kB, {4, 5, 6, 7}, masks_of_new_lives);
  std::cout << "uploads under one mask: " << a << " and " << b << "\n";
  EXPECT_EQ(a, kSizeOfA);
  EXPECT_EQ(b, 0);
  EXPECT_THAT(why_, ::testing::HasSubstr("was used before"));
}

TEST_F(NamedMasks, AreKnownAsUsedThoughTheyWereNamedBeforeTheyWereDealt) {
  const auto next = stage_.agreement().mask_stock + 2u;
  show(Camp::kA, {0, 1, 2, 3}, masks(next));
  const auto revision = last_->plan->revision + revisions_;
  cut({5, 6, 7, 8});
  welcome(0, kClients);  // for camp B's new lives the dealers deal further masks, to all
  const int b = show(Camp::kB, {4, 5, 6, 7}, masks(next));
  std::cout << "uploads under one mask: " << uploads_[revision] << " and " << b << "\n";
  EXPECT_EQ(b, 0);
  EXPECT_THAT(why_, ::testing::HasSubstr("was used before"));
}

class RefusedMissedPlan : public NamedMasks {
 protected:
  RefusedMissedPlan() : NamedMasks(2) {}  // before groups are told
};

// Were its groups remembered, they would bind the client, and by its word others, for good.
TEST_F(RefusedMissedPlan, LeavesNoGroupsBehind) {
  for (const bool good : {true, false}) {
    const int client = good ? 3 : 4;
    ASSERT_EQ(stage_.client(client).groups(), nullptr);
    head_ = *last_->head;
    Step step = *last_;
    step.groups = std::make_shared<const Groups>(Groups{{0, 1, 2, 3}, {4, 5, 6, 7, 8}});
    const std::vector<std::size_t> rows =
        good ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0, 0};
    const Step told = signed_step(step, rows, masks(3));
    stage_.send_as_server(client, make_message(MissedPlan{.step = told}));
    stage_.deliver_all();
    EXPECT_EQ(stage_.client(client).broken_off().has_value(), !good) << why_;
    EXPECT_EQ(stage_.client(client).groups() != nullptr, good);
  }
}

}  // namespace
}  // namespace fedvs::adversary
