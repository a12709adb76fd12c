// One client after its setup, with the test in the server's place.
#include "fedvs/protocol/client/client.h"

#include <gmock/gmock.h>

#include "fedvs/field/panels.h"
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
  Plan revised(std::uint64_t times) const {  // the plan again, as a later revision
    Plan plan = *step_.plan;
    plan.revision += times;
    return plan;
  }
  MessagePtr model_share(int from, StepNumber of, Digest chain) const {
    return make_message(ModelShare{
        from, {of, welcome_.clients[static_cast<std::size_t>(from)]}, chain, some_model(from)});
  }
  SharePtr some_model(int from) const {
    const auto& agreement = trial_->world->agreement();
    return share_of(field::RingMatrix(agreement.ring, field::panel_rows(agreement.width),
                                      field::panel_cols(agreement.padded_inputs(from))));
  }
  std::shared_ptr<const Gradient> gradient_of(const Plan& plan) const {
    const auto& agreement = trial_->world->agreement();
    const std::size_t values = plan.rows.size() * 2 * agreement.width;  // K = 2
    return std::make_shared<const Gradient>(std::make_shared<const Plan>(plan),
                                            std::vector<float>(values, 0.5f));
  }
  void expect_refusal(const std::vector<Outgoing>& sends, const std::string& reason) {
    const auto refusals = messages<Refusal>(sends);
    ASSERT_EQ(refusals.size(), 1u) << reason;
    EXPECT_THAT(std::get<Refusal>(*refusals[0]).reason, HasSubstr(reason));
    EXPECT_THAT(client_->refusals(), Contains(HasSubstr(reason)));
  }

  // What another client did is dropped, and the server told.
  void expect_complaint(const std::vector<Outgoing>& sends, int about, const std::string& reason) {
    const auto complaints = messages<Complaint>(sends);
    ASSERT_EQ(complaints.size(), 1u) << reason;
    EXPECT_EQ(std::get<Complaint>(*complaints[0]).about, about);
    EXPECT_THAT(std::get<Complaint>(*complaints[0]).reason, HasSubstr(reason));
    EXPECT_THAT(client_->refusals(), IsEmpty());
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
  EXPECT_EQ(upload.values->rows(), step_.plan->rows.size());
  EXPECT_THAT(client_->refusals(), IsEmpty());
}

// The server sends every plan once: after a lost connection it tells of it as of a missed one.
TEST_F(ClientTest, AnswersAPlanOnce) {
  EXPECT_EQ(messages<Upload>(sends_of(client_->receive(step(*step_.plan)))).size(), 1u);
  expect_refusal(sends_of(client_->receive(step(*step_.plan))), "a client never goes back");
}

TEST_F(ClientTest, AnUploadIsCancelledByANewerPlan) {
  const auto first = sends_of(client_->receive(step(*step_.plan)));
  std::vector<Outgoing> uploads;
  for (const auto& send : first) {
    if (send.lane == Lane::kUpload) uploads.push_back(send);
  }
  ASSERT_EQ(uploads.size(), 1u);
  ASSERT_TRUE(uploads[0].wanted());
  const auto second = messages<Upload>(sends_of(client_->receive(step(revised(1)))));
  EXPECT_EQ(second.size(), 1u);
  EXPECT_FALSE(uploads[0].wanted());
  EXPECT_EQ(uploads[0].make(), nullptr);
}

TEST_F(ClientTest, RefusesAPlanAndSaysWhy) {
  Plan plan = *step_.plan;
  plan.rows[1] = plan.rows[0];
  expect_refusal(sends_of(client_->receive(step(plan))), "is named twice");
}

TEST_F(ClientTest, DropsAModelThatHasSeenOtherGradients) {
  Digest chain{};
  chain[0] = 1;
  expect_complaint(sends_of(client_->receive(model_share(3, 0, chain))), 3,
                   "its model of step 0 has seen other gradients");
}

TEST_F(ClientTest, DropsASecondShareOfAStep) {
  expect_complaint(sends_of(client_->receive(model_share(3, 0, Digest{}))), 3,
                   "it shared step 0 twice");
}

TEST_F(ClientTest, ComplainsAtGrowingIntervals) {
  int complaints = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto sends = sends_of(client_->receive(model_share(3, 0, Digest{})));
    complaints += static_cast<int>(messages<Complaint>(sends).size());
  }
  EXPECT_EQ(complaints, 10);
}

TEST_F(ClientTest, IgnoresAModelFromBeforeARestart) {
  const auto held = client_->holdings().newest;
  ModelShare old{3, {0, welcome_.clients[5]}, Digest{}, some_model(3)};
  EXPECT_THAT(client_->receive(make_message(std::move(old))), IsEmpty());
  EXPECT_EQ(client_->holdings().newest, held);
}

TEST_F(ClientTest, KeepsAModelOfTheNextStepUntilItHasTheGradient) {
  // Given a share of step 1 from a client that has learned already, and one that learned otherwise.
  const std::size_t samples = step_.plan->rows.size() * 2;
  auto gradient = std::make_shared<const Gradient>(
      step_.plan, std::vector<float>(samples * trial_->world->agreement().width, 0.5f));
  Digest forked = next_link(Digest{}, *gradient, 1.0);
  forked[3] ^= 1;
  EXPECT_THAT(client_->receive(model_share(2, 1, next_link(Digest{}, *gradient, 1.0))), IsEmpty());
  EXPECT_THAT(client_->receive(model_share(3, 1, forked)), IsEmpty());
  // When the gradient of the plan comes.
  client_->receive(step(*step_.plan));
  Step learn = step_;
  learn.plan = nullptr;
  learn.gradient = gradient;
  const auto sends = sends_of(client_->receive(make_message(std::move(learn))));
  // Then the first is held and the second dropped.
  expect_complaint(sends, 3, "its model of step 1 has seen other gradients");
  EXPECT_EQ(client_->holdings().newest[2]->step, 1u);
  EXPECT_EQ(client_->holdings().newest[3]->step, 0u);
  EXPECT_EQ(client_->model().step(), 1u);
}

TEST_F(ClientTest, RefusesAGradientOutOfTurn) {
  Plan plan = *step_.plan;
  plan.round = 3;
  Step learn = step_;
  learn.plan = nullptr;
  learn.gradient = gradient_of(plan);
  expect_refusal(sends_of(client_->receive(make_message(std::move(learn)))),
                 "a gradient of round 3 after 0 gradients");
}

TEST_F(ClientTest, RefusesAGradientOfAPlanThatItHasNotAccepted) {
  // Given a plan, and a gradient that claims another: one in which most clients would not learn.
  client_->receive(step(*step_.plan));
  Plan other = *step_.plan;
  for (std::size_t n = 1; n < other.versions.size(); ++n) other.versions[n].reset();
  Step learn = step_;
  learn.plan = nullptr;
  learn.gradient = gradient_of(other);
  expect_refusal(sends_of(client_->receive(make_message(std::move(learn)))), "has not accepted");
}

TEST_F(ClientTest, RefusesAnotherServerInTheMiddleOfALife) {
  Welcome other = welcome_;
  other.server = welcome_.clients[0];
  expect_refusal(sends_of(client_->receive(make_message(other))), "another server took over");
}

TEST_F(ClientTest, SharesAStepOnce) {
  // Given that version 0 was shared at setup.
  Step again = step_;
  again.plan = nullptr;
  again.share.assign(again.share.size(), true);
  EXPECT_THAT(messages<ModelShare>(sends_of(client_->receive(make_message(std::move(again))))),
              IsEmpty());
}

TEST_F(ClientTest, AnUnequalRateForksTheChain) {
  const auto gradient = gradient_of(*step_.plan);
  EXPECT_NE(next_link(Digest{}, *gradient, 1.0), next_link(Digest{}, *gradient, 0.5));
}

TEST_F(ClientTest, DropsMalformedMessagesOfOthersAndComplains) {
  const auto& a = trial_->world->agreement();
  const auto dropped = [&](auto message, int about, const std::string& reason) {
    expect_complaint(sends_of(client_->receive(make_message(std::move(message)))), about, reason);
  };
  dropped(DataShare{1, data::Part::kTrain, 1, {}}, 1, "starts at row 1");
  dropped(DataShare{2, static_cast<data::Part>(3), 0, {}}, 2, "no such part");
  dropped(
      DataShare{3, data::Part::kTrain, 0, std::make_shared<const field::RingMatrix>(a.ring, 1, 3)},
      3, "1 x 3 values instead of");
  dropped(ModelShare{4, {}, {}, {}}, 4, "no values");
  dropped(ModelShare{5, {}, {}, share_of(field::RingMatrix(a.ring, a.width, a.inputs(5)))}, 5,
          "values instead of 1 x");
  dropped(SeedShare{6, 20, {}, {}}, 6, "client 21 of 9");
  // Of nobody there is nobody to complain of.
  const auto stranger = [&](auto message) {
    EXPECT_THAT(sends_of(client_->receive(make_message(std::move(message)))), IsEmpty());
  };
  stranger(DataShare{9, data::Part::kTrain, 0, {}});
  stranger(SeedShare{12, 0, {}, {}});
}

TEST_F(ClientTest, RefusesMalformedMessagesOfTheServer) {
  const auto refused = [&](auto message, const std::string& reason) {
    expect_refusal(sends_of(client_->receive(make_message(std::move(message)))), reason);
  };
  refused(Welcome{.server = welcome_.server, .clients = {}, .sharings = {}},
          "sharings of 0 clients instead of 9");
  Step short_flags = step_;
  short_flags.share.pop_back();
  refused(short_flags, "share flags of 8 clients instead of 9");
  Step no_rate = step_;
  no_rate.rate_factor = 0;
  refused(no_rate, "a rate factor");
  Step torn = step_;
  torn.gradient = std::make_shared<const Gradient>(step_.plan, std::vector<float>(3));
  refused(torn, "a gradient of 3 values instead of");
}

// A sum over the rows of some clients only would tell them apart.
TEST(Client, DoesNotUploadBeforeItHasEverybodysRows) {
  auto trial = fedvs::testing::make_world({"sim.delays=none"});
  trial->world->simulator().set_tamper([](int from, int to, MessagePtr message) {
    const bool withheld = std::holds_alternative<DataShare>(*message) && from == 0 && to == 8;
    return withheld ? MessagePtr{} : message;
  });
  trial->run();
  // The run cannot start, and the error says so instead of waiting for ever.
  ASSERT_FALSE(trial->world->status());
  EXPECT_FALSE(trial->world->clients()[8]->holdings().data_complete);
  EXPECT_TRUE(trial->world->clients()[7]->holdings().data_complete);
  EXPECT_EQ(trial->world->server().rounds(), 0u);
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
  EXPECT_THAT(fresh.receive(model_share(3, 0, Digest{})), IsEmpty());
  EXPECT_EQ(fresh.holdings().newest[3], std::nullopt);
  // When it is welcomed, then what came before counts.
  fresh.receive(make_message(welcome_));
  EXPECT_EQ(fresh.holdings().newest[3]->step, 0u);
  EXPECT_THAT(fresh.refusals(), IsEmpty());
}

// In a whole run, a refusal ends it: the error says who refused what.
TEST(Client, AForkedModelIsComplainedOfAndTheRunGoesOn) {
  auto trial = fedvs::testing::make_world({"protocol.late_models=wait"});
  trial->world->simulator().set_tamper([](int from, int to, MessagePtr message) {
    const auto* share = std::get_if<ModelShare>(message.get());
    if (share == nullptr || from != 2 || to != 4 || share->version.step != 3) return message;
    ModelShare forked{share->from, share->version, share->chain, share->values};
    forked.chain[0] ^= 1;
    return make_message(std::move(forked));
  });
  trial->run();
  ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
  EXPECT_THAT(trial->recorder.notes,
              Contains(HasSubstr("client 5 complains of client 3: its model of step 3 has seen "
                                 "other gradients")));
}

}  // namespace
}  // namespace fedvs::protocol
