// A server sends a plan that a client refuses, has the client killed, and goes by what the client
// noted before it died. Were refused plans noted, then after the restart the client would believe
// that its rows had been opened with the refused plan's models, and open them with those as well:
// two sums of one row in one epoch, which single clients out.
#include <gmock/gmock.h>

#include "fedvs/party/client_state.h"
#include "fedvs/protocol/client/plan_guard.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/lone_client.h"

namespace fedvs::party {

// What a program has left that wrote plans down before it judged them.
struct ClientStateNotes {
  static Status plan(ClientState& state, const protocol::Step& step) {
    return state.note_plan(step);
  }
};

namespace {

using protocol::Plan;
using protocol::Step;
using ::testing::HasSubstr;

constexpr int kVictim = 2, kParties = 7;

// A client of seven with its folder, and the test in the server's place.
class Victim {
 public:
  Victim(const std::filesystem::path& folder, const protocol::Agreement& agreement,
         const coding::LagrangeCode& code)
      : state_(ClientState::open(folder, kParties).value()) {
    client_ = fedvs::testing::lone_client(kVictim, agreement, code, state_.rows(agreement).value(),
                                          secrets_);
    state_.recall(agreement, *client_).value();
    client_->start();
    auto welcome = fedvs::testing::welcome(kParties);
    welcome.clients[kVictim] = client_->incarnation();
    welcome.seeds[kVictim] = client_->seeds().own_list();
    receive(protocol::make_message(welcome));
  }

  void receive(const protocol::MessagePtr& message) {
    const auto tasks = client_->receive(message);
    state_.note(*client_, message).value();
    for (const auto& task : tasks) task.run();
  }
  // Whether it accepts: its answer is an upload when it holds all that this needs.
  bool accepts(const Step& step) {
    const std::size_t before = client_->refusals().size();
    receive(protocol::make_message(step));
    return client_->refusals().size() == before;
  }
  std::string last_refusal() const { return client_->refusals().back(); }
  ClientState& state() { return state_; }
  void save() {
    client_->compute_models();
    state_.save(*client_).value();
  }

 private:
  ClientState state_;
  OsSecretSource secrets_;
  std::unique_ptr<protocol::Client> client_;
};

class RefusedPlan : public ::testing::Test {
 protected:
  Victim start() { return Victim(folder_ / "state", agreement_, code_); }

  // Coded rows 0 to 4 in epoch 0, with everybody's models of step `round`.
  Step step(std::uint64_t revision, std::uint64_t round) const {
    Plan plan;
    plan.round = round;
    plan.revision = revision;
    plan.rows = {0, 1, 2, 3, 4};
    for (int n = 0; n < kParties; ++n) {
      plan.versions.push_back(
          protocol::Version{round, fedvs::testing::incarnation(static_cast<std::uint8_t>(n + 1))});
    }
    return with(std::move(plan));
  }
  static Step with(Plan plan) {
    const std::vector<bool> none(kParties, false);
    Step made;
    made.share = made.frozen = made.released = none;
    made.plan = std::make_shared<const Plan>(std::move(plan));
    return made;
  }
  // Only the victim is in the sum.
  Step singling(std::uint64_t revision) const {
    Plan plan = *step(revision, 1).plan;
    for (std::size_t n = 0; n < plan.versions.size(); ++n) {
      if (n != kVictim) plan.versions[n].reset();
    }
    plan.rows = {5, 6, 7};
    return with(std::move(plan));
  }
  static std::size_t rows(const Step& step, bool accepted) {
    return accepted ? step.plan->rows.size() : 0;
  }

  ScratchFolder folder_;
  const protocol::Agreement agreement_ = fedvs::testing::small_agreement();
  const coding::LagrangeCode code_ =
      coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value();
};

TEST_F(RefusedPlan, IsNotBelievedAfterAKill) {
  {
    Victim victim = start();
    ASSERT_TRUE(victim.accepts(step(0, 0)));
    ASSERT_FALSE(victim.accepts(step(1, 1)));
    EXPECT_THAT(victim.last_refusal(), HasSubstr("was uploaded in epoch 0 with other model"));
  }
  Victim victim = start();
  const Step again = step(2, 1);
  const std::size_t twice = rows(again, victim.accepts(again));
  std::printf("rows opened with a second version vector after a kill: %zu of %zu\n", twice,
              again.plan->rows.size());
  EXPECT_EQ(twice, 0u);
}

TEST_F(RefusedPlan, DoesNotDecideWhichModelsAScoringMayUse) {
  const Step good = step(0, 0);
  {
    Victim victim = start();
    ASSERT_TRUE(victim.accepts(good));
    ASSERT_FALSE(victim.accepts(singling(1)));
    victim.save();
  }
  auto state = ClientState::open(folder_ / "state", kParties).value();
  EXPECT_EQ(state.named(), versions_of(*good.plan));
}

TEST_F(RefusedPlan, IsDroppedFromNotesThatHoldIt) {
  {
    Victim victim = start();
    ASSERT_TRUE(victim.accepts(step(0, 0)));
    for (const auto& refused : {step(1, 1), singling(2)}) {
      ASSERT_TRUE(ClientStateNotes::plan(victim.state(), refused));
    }
  }
  Victim victim = start();
  ASSERT_FALSE(victim.accepts(step(3, 1)));
  EXPECT_THAT(victim.last_refusal(), HasSubstr("with other model versions"));
  victim.save();
  auto state = ClientState::open(folder_ / "state", kParties).value();
  EXPECT_EQ(state.named(), versions_of(*step(0, 0).plan));
}

TEST_F(RefusedPlan, AcceptedOnesAreRemembered) {
  {
    Victim victim = start();
    ASSERT_TRUE(victim.accepts(step(0, 0)));
    ASSERT_TRUE(victim.accepts(step(1, 0))) << "the same models: a revision";
  }
  Victim victim = start();
  ASSERT_FALSE(victim.accepts(step(0, 0)));
  EXPECT_THAT(victim.last_refusal(), HasSubstr("revision 0 came after revision 1"));
}

// What the notes are for: a guard that takes the server's word for what was opened opens it again.
TEST_F(RefusedPlan, BelievedItOpensEveryRowTwice) {
  const auto accepted = [&](const std::vector<Step>& steps) {
    protocol::PlanGuard guard(agreement_);
    bool last = false;
    for (const auto& s : steps) last = guard.accept(*s.plan, {s.frozen, s.released}).has_value();
    return last;
  };
  const Step again = step(2, 1);
  const std::size_t believing = rows(again, accepted({step(1, 1), again}));
  const std::size_t remembering = rows(again, accepted({step(0, 0), again}));
  std::printf("a guard that believes the refused plan: %zu of %zu; one that remembers: %zu\n",
              believing, again.plan->rows.size(), remembering);
  EXPECT_EQ(believing, again.plan->rows.size());
  EXPECT_EQ(remembering, 0u);
}

}  // namespace
}  // namespace fedvs::party
