// One client after its setup, with the test in the server's place.
#include "fedvs/protocol/client.h"

#include <gmock/gmock.h>

#include "tests/support/world_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// All that the tasks, and those that follow from them, send.
std::vector<Outgoing> sends_of(const Tasks& tasks) {
  std::vector<Outgoing> sends;
  for (const auto& task : tasks) {
    const Effects effects = task.run();
    sends.insert(sends.end(), effects.sends.begin(), effects.sends.end());
    const auto more = sends_of(effects.tasks);
    sends.insert(sends.end(), more.begin(), more.end());
  }
  return sends;
}

template <class M>
std::vector<MessagePtr> messages(const std::vector<Outgoing>& sends) {
  std::vector<MessagePtr> made;
  for (const auto& send : sends) {
    auto message = send.make();
    if (message && std::holds_alternative<M>(*message)) made.push_back(std::move(message));
  }
  return made;
}

class ClientTest : public ::testing::Test {
 protected:
  static constexpr int kNumber = 8;  // the last of nine: N = 9, K = 2, T = 1

  // Runs the setup, and keeps what the server would have told the client first.
  ClientTest() : trial_(fedvs::testing::make_world({"sim.delays=none"})) {
    trial_->world->simulator().set_tamper([this](int, int to, MessagePtr message) {
      if (const auto* met = std::get_if<Welcome>(message.get())) welcome_ = *met;
      const auto* step = std::get_if<Step>(message.get());
      if (step == nullptr || to != kNumber) return message;
      step_ = *step;
      return MessagePtr{};
    });
    trial_->run([this] { return step_.plan != nullptr; });
    client_ = trial_->world->clients()[kNumber].get();
  }

  MessagePtr step(const Plan& plan) const {
    Step next = step_;
    next.plan = std::make_shared<const Plan>(plan);
    return make_message(std::move(next));
  }
  // The plan again with the dealers' next masks; the stock holds two of each.
  Plan with_masks(std::uint64_t number) const {
    Plan plan = *step_.plan;
    plan.revision += number;
    for (auto& mask : plan.masks) mask.number = number;
    return plan;
  }
  MessagePtr mask_share(const MaskId& id) {
    DealtMask dealt(trial_->world->agreement(), trial_->world->code(), id,
                    trial_->world->secrets());
    return make_message(MaskShare{id, welcome_.clients[kNumber], dealt.share(kNumber)});
  }
  MessagePtr model_share(int from, StepNumber of, Digest chain) const {
    const auto& agreement = trial_->world->agreement();
    return make_message(ModelShare{from,
                                   {of, welcome_.clients[static_cast<std::size_t>(from)]},
                                   chain,
                                   {agreement.ring, agreement.width, agreement.inputs(from)}});
  }
  void expect_refusal(const std::vector<Outgoing>& sends, const std::string& reason) {
    const auto refusals = messages<Refusal>(sends);
    ASSERT_EQ(refusals.size(), 1u) << reason;
    EXPECT_THAT(std::get<Refusal>(*refusals[0]).reason, HasSubstr(reason));
    EXPECT_THAT(client_->refusals(), Contains(HasSubstr(reason)));
  }

  std::unique_ptr<fedvs::testing::Trial> trial_;
  Welcome welcome_;
  Step step_{};
  Client* client_ = nullptr;
};

TEST_F(ClientTest, UploadsForAGoodPlan) {
  const auto uploads = messages<Upload>(sends_of(client_->receive(step(*step_.plan))));
  ASSERT_EQ(uploads.size(), 1u);
  const auto& upload = std::get<Upload>(*uploads[0]);
  EXPECT_EQ(upload.from, kNumber);
  EXPECT_EQ(upload.revision, step_.plan->revision);
  EXPECT_EQ(upload.values.rows(), step_.plan->rows.size());
  EXPECT_THAT(client_->refusals(), IsEmpty());
}

TEST_F(ClientTest, AnswersARepeatedPlanWithTheSameBytes) {
  const auto first = messages<Upload>(sends_of(client_->receive(step(*step_.plan))));
  const auto again = messages<Upload>(sends_of(client_->receive(step(*step_.plan))));
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(again.size(), 1u);
  const auto &a = std::get<Upload>(*first[0]).values, &b = std::get<Upload>(*again[0]).values;
  EXPECT_THAT(std::vector(b.bytes().begin(), b.bytes().end()),
              ::testing::ElementsAreArray(a.bytes()));
  EXPECT_THAT(client_->refusals(), IsEmpty());
}

TEST_F(ClientTest, AnUploadIsCancelledByANewerPlan) {
  const auto first = sends_of(client_->receive(step(*step_.plan)));
  std::vector<Outgoing> uploads;
  for (const auto& send : first) {
    if (send.channel == Channel::kUpload) uploads.push_back(send);
  }
  ASSERT_EQ(uploads.size(), 1u);
  ASSERT_TRUE(uploads[0].wanted());
  const auto second = messages<Upload>(sends_of(client_->receive(step(with_masks(1)))));
  EXPECT_EQ(second.size(), 1u);
  EXPECT_FALSE(uploads[0].wanted());
  EXPECT_EQ(uploads[0].make(), nullptr);
}

TEST_F(ClientTest, RefusesAPlanAndSaysWhy) {
  Plan plan = *step_.plan;
  plan.masks.pop_back();
  expect_refusal(sends_of(client_->receive(step(plan))), "T + 1 = 2 distinct dealers are needed");
}

TEST_F(ClientTest, UploadsOnlyWhenItHasEveryNamedMask) {
  // Given a plan with masks that have not been dealt yet.
  const Plan plan = with_masks(2);
  EXPECT_THAT(messages<Upload>(sends_of(client_->receive(step(plan)))), IsEmpty());
  // When one of two comes, then there is still no upload.
  EXPECT_THAT(messages<Upload>(sends_of(client_->receive(mask_share(plan.masks[0])))), IsEmpty());
  const auto uploads = messages<Upload>(sends_of(client_->receive(mask_share(plan.masks[1]))));
  ASSERT_EQ(uploads.size(), 1u);
  EXPECT_EQ(std::get<Upload>(*uploads[0]).revision, plan.revision);
}

TEST_F(ClientTest, RefusesAMaskBoundToAnotherIncarnation) {
  for (int which = 0; which < 3; ++which) {
    MaskId id = with_masks(2).masks[0];
    MaskShare share{id, welcome_.clients[kNumber], {}};
    if (which == 0) share.recipient = welcome_.clients[0];
    if (which == 1) share.id.dealer_incarnation = welcome_.clients[5];
    if (which == 2) share.id.server_incarnation = welcome_.clients[5];
    expect_refusal(sends_of(client_->receive(make_message(std::move(share)))),
                   "bound to another incarnation");
  }
}

TEST_F(ClientTest, RefusesAModelThatHasSeenOtherGradients) {
  Digest chain{};
  chain[0] = 1;
  expect_refusal(sends_of(client_->receive(model_share(3, 0, chain))),
                 "client 4's model of step 0 has seen other gradients");
}

TEST_F(ClientTest, RefusesASecondShareOfAStep) {
  expect_refusal(sends_of(client_->receive(model_share(3, 0, Digest{}))),
                 "client 4 shared step 0 twice");
}

TEST_F(ClientTest, RefusesAModelFromBeforeARestart) {
  const auto& agreement = trial_->world->agreement();
  ModelShare old{3,
                 {0, welcome_.clients[5]},
                 Digest{},
                 {agreement.ring, agreement.width, agreement.inputs(3)}};
  expect_refusal(sends_of(client_->receive(make_message(std::move(old)))), "before a restart");
}

TEST_F(ClientTest, KeepsAModelOfTheNextStepUntilItHasTheGradient) {
  // Given a share of step 1 from a client that has learned already, and one that learned otherwise.
  const std::size_t samples = step_.plan->rows.size() * 2;
  auto gradient = std::make_shared<const Gradient>(
      step_.plan, std::vector<float>(samples * trial_->world->agreement().width, 0.5f));
  Digest forked = next_link(Digest{}, *gradient);
  forked[3] ^= 1;
  EXPECT_THAT(client_->receive(model_share(2, 1, next_link(Digest{}, *gradient))), IsEmpty());
  EXPECT_THAT(client_->receive(model_share(3, 1, forked)), IsEmpty());
  // When the gradient comes.
  Step learn = step_;
  learn.plan = nullptr;
  learn.gradient = gradient;
  const auto sends = sends_of(client_->receive(make_message(std::move(learn))));
  // Then the first is held and the second refused.
  expect_refusal(sends, "client 4's model of step 1 has seen other gradients");
  EXPECT_EQ(client_->holdings().newest_step[2], 1u);
  EXPECT_EQ(client_->holdings().newest_step[3], 0u);
  EXPECT_EQ(client_->model().step(), 1u);
}

TEST_F(ClientTest, RefusesAGradientOutOfTurn) {
  Plan plan = *step_.plan;
  plan.round = 3;
  Step learn = step_;
  learn.plan = nullptr;
  learn.gradient =
      std::make_shared<const Gradient>(std::make_shared<const Plan>(plan), std::vector<float>{});
  expect_refusal(sends_of(client_->receive(make_message(std::move(learn)))),
                 "a gradient of round 3 after 0 steps");
}

TEST_F(ClientTest, RefusesGroupsThatChange) {
  Step grouped = step_;
  grouped.plan = nullptr;
  grouped.groups = std::make_shared<const Groups>(Groups{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
  EXPECT_THAT(messages<Refusal>(sends_of(client_->receive(make_message(grouped)))), IsEmpty());
  grouped.groups = std::make_shared<const Groups>(Groups{{0, 1, 3}, {2, 4, 5}, {6, 7, 8}});
  expect_refusal(sends_of(client_->receive(make_message(grouped))), "groups changed");
}

TEST_F(ClientTest, KeepsWhatComesBeforeItsWelcome) {
  // Given a client that nobody has welcomed yet.
  auto other = fedvs::testing::make_world({"sim.delays=none"});
  Client& fresh = *other->world->clients()[kNumber];
  EXPECT_THAT(fresh.receive(mask_share(with_masks(0).masks[0])), IsEmpty());
  EXPECT_THAT(fresh.receive(model_share(3, 0, Digest{})), IsEmpty());
  EXPECT_EQ(fresh.holdings().newest_step[3], std::nullopt);
  // When it is welcomed, then what came before counts.
  fresh.receive(make_message(welcome_));
  EXPECT_EQ(fresh.holdings().newest_step[3], 0u);
  EXPECT_EQ(fresh.holdings().masks[0][static_cast<std::size_t>(with_masks(0).masks[0].dealer)], 1u);
  EXPECT_THAT(fresh.refusals(), IsEmpty());
}

// In a whole run, a refusal ends it: the error says who refused what.
TEST(Client, AForkedModelStopsTheRun) {
  auto trial = fedvs::testing::make_world({"protocol.late_models=wait"});
  trial->world->simulator().set_tamper([](int from, int to, MessagePtr message) {
    const auto* share = std::get_if<ModelShare>(message.get());
    if (share == nullptr || from != 2 || to != 4 || share->version.step != 3) return message;
    ModelShare forked{share->from, share->version, share->chain, share->values.clone()};
    forked.chain[0] ^= 1;
    return make_message(std::move(forked));
  });
  trial->run();
  const Status status = trial->world->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kRefused);
  EXPECT_THAT(status.error().message,
              HasSubstr("client 5 refused revision 0: client 3's model of step 3 has seen other "
                        "gradients"));
}

}  // namespace
}  // namespace fedvs::protocol
