// What the protocol's steps say that they send (protocol/costs.h) is what a simulated run counts:
// per party, every byte, from the number of messages of each kind.
#include "fedvs/protocol/costs.h"

#include <gtest/gtest.h>

#include "fedvs/protocol/chunks.h"
#include "tests/support/world_fixture.h"

namespace fedvs::protocol {
namespace {

using testing::Sets;

// Bytes that one party has received, by what the messages say that they cost.
struct Received {
  std::size_t data = 0, models = 0, seeds = 0, uploads = 0, steps = 0, reports = 0, welcomes = 0;
  int model_shares = 0, plans = 0;
  std::size_t all() const { return data + models + seeds + uploads + steps + reports + welcomes; }
};

struct Weigh {
  const Agreement& a;
  Received& to;
  void operator()(const DataShare& share) const {
    to.data += data_share_bytes(a, share.from, chunk_rows(a, share.part, share.first_row));
  }
  void operator()(const ModelShare& share) const {
    to.models += model_share_bytes(a, share.from);
    ++to.model_shares;
  }
  void operator()(const SeedShare& share) const {
    to.seeds += seed_share_bytes(share.commitments.size(), share.seeds.size());
  }
  void operator()(const Step& step) const {
    const bool evaluation = step.plan && !step.plan->training() && !step.gradient;
    if (evaluation) return;  // costs nothing in a simulation
    to.steps += step_bytes(a, step.gradient ? step.gradient->plan().rows.size() : 0,
                           step.plan ? step.plan->rows.size() : 0);
    if (step.plan && step.plan->training()) ++to.plans;
  }
  void operator()(const Report&) const { to.reports += holdings_bytes(a); }
  void operator()(const Hello&) const {}  // before training, to the server
  void operator()(const ReportRequest&) const { to.reports += 8; }
  void operator()(const Welcome& welcome) const {
    to.welcomes += sizeof(Incarnation) * (1 + welcome.clients.size());
  }
  template <class Other>
  void operator()(const Other&) const {
    ADD_FAILURE() << "a message that no undisturbed run sends";
  }
};

class CostsTest : public ::testing::TestWithParam<Sets> {
 protected:
  CostsTest()
      : trial_(testing::make_world(testing::joined({"protocol.late_models=wait"}, GetParam()))),
        before_(static_cast<std::size_t>(a().shape.parties) + 1),
        training_(before_.size()) {
    trial_->tamper([this](int, int to, MessagePtr message) {
      weigh(to, *message);
      return message;
    });
  }
  const Agreement& a() const { return trial_->world->agreement(); }
  sim::Simulator& simulator() { return trial_->world->simulator(); }
  std::size_t others() const { return static_cast<std::size_t>(a().shape.parties) - 1; }
  Received& of(std::vector<Received>& all, int party) {
    return all[static_cast<std::size_t>(party + 1)];
  }
  void weigh(int to, const Message& message) {
    auto& received = of(simulator().setup_seconds() > 0 ? training_ : before_, to);
    if (const auto* upload = std::get_if<Upload>(&message)) {
      const auto& plan = trial_->plans.at(upload->revision);
      if (plan->training()) received.uploads += upload_bytes(a(), plan->rows.size());
    } else {
      std::visit(Weigh{a(), received}, message);
    }
  }

  std::unique_ptr<testing::Trial> trial_;
  std::vector<Received> before_, training_;
};

TEST_P(CostsTest, BeforeTraining) {
  std::vector<sim::Traffic> counted(before_.size());
  trial_->run([&] {
    if (trial_->world->server().training_started()) return true;
    for (int party = kServer; party < a().shape.parties; ++party) {
      counted[static_cast<std::size_t>(party + 1)] = simulator().traffic(party);
    }
    return false;
  });
  const auto costs = costs_of(a());
  double data = 0, seeds = 0;
  for (int n = 0; n < a().shape.parties; ++n) {
    const Received& got = of(before_, n);
    EXPECT_EQ(counted[static_cast<std::size_t>(n + 1)].received, got.all()) << n;
    data += static_cast<double>(got.data);
    seeds += static_cast<double>(got.seeds);
  }
  const double parties = a().shape.parties;
  EXPECT_DOUBLE_EQ(data / parties, costs.data_share * static_cast<double>(others()));
  EXPECT_DOUBLE_EQ(seeds / parties, costs.seeds);
}

TEST_P(CostsTest, Rounds) {
  trial_->run();
  ASSERT_TRUE(trial_->world->status());
  for (int party = kServer; party < a().shape.parties; ++party) {
    EXPECT_EQ(simulator().traffic(party).received, of(training_, party).all()) << party;
  }
  // Every client is sent a plan per round, and sends its model to all others and an upload.
  std::size_t uploads = 0;
  for (const auto& record : trial_->rounds()) {
    uploads += record.responders.size() * upload_bytes(a(), record.plan->rows.size());
  }
  EXPECT_GE(of(training_, kServer).uploads, uploads);
  for (int n = 0; n < a().shape.parties; ++n) {
    EXPECT_EQ(of(training_, n).plans, static_cast<int>(trial_->rounds().size())) << n;
    EXPECT_GE(of(training_, n).model_shares,
              (of(training_, n).plans - 1) * (a().shape.parties - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, CostsTest,
    ::testing::Values(Sets{"sim.delays=none"}, Sets{"sim.delays=none", "code.T=2", "code.K=1"},
                      Sets{"sim.delays=none", "model.degrees=[2]", "data.validation_share=0.2"}));

}  // namespace
}  // namespace fedvs::protocol
