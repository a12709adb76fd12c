// The link formula and the simulator's clock, against cases worked by hand.
#include "fedvs/sim/links.h"

#include <gmock/gmock.h>

#include "tests/support/world_fixture.h"

namespace fedvs::sim {
namespace {

using protocol::kServer;

constexpr std::size_t kSecond = 1'000'000;  // bytes that take one second at 8 Mbit/s

TEST(Links, AMessageTakesItsSizeByTheBandwidth) {
  Links links(3, 8);
  EXPECT_DOUBLE_EQ(links.send(0, 1, kSecond, /*ready=*/2), 3);
  EXPECT_DOUBLE_EQ(Links(3, 300).send(0, 1, 300'000'000 / 8, 0), 1);
}

TEST(Links, MessagesQueueAtTheSender) {
  Links links(3, 8);
  EXPECT_DOUBLE_EQ(links.send(0, 1, 2 * kSecond, 1), 3);
  EXPECT_DOUBLE_EQ(links.send(0, 2, kSecond, 1), 4);  // starts at 3
  EXPECT_DOUBLE_EQ(links.send(0, 2, kSecond, 9), 10);
}

TEST(Links, MessagesQueueAtTheReceiverWhileTheSenderIsFreeAgain) {
  Links links(4, 8);
  EXPECT_DOUBLE_EQ(links.send(0, 2, 3 * kSecond, 0), 3);
  EXPECT_DOUBLE_EQ(links.send(1, 2, kSecond, 0), 4);  // starts at 0, comes in after the first
  EXPECT_DOUBLE_EQ(links.send(1, 3, kSecond, 0), 2);  // the sender was free at 1
}

TEST(Links, AreFullDuplex) {
  Links links(2, 8);
  EXPECT_DOUBLE_EQ(links.send(0, 1, kSecond, 0), 1);
  EXPECT_DOUBLE_EQ(links.send(1, 0, kSecond, 0), 1);
}

TEST(Links, ABroadcastIsOneMessageAfterTheOther) {
  Links links(4, 8);
  for (int n = 0; n < 4; ++n) EXPECT_DOUBLE_EQ(links.send(kServer, n, kSecond, 5), 6.0 + n);
}

TEST(Links, WhatIsFreeOvertakesNothing) {
  Links links(2, 8);
  links.send(kServer, 0, 4 * kSecond, 0);
  EXPECT_DOUBLE_EQ(links.send_free(kServer, 0, 1), 4);
  EXPECT_DOUBLE_EQ(links.send_free(kServer, 1, 1), 1);
  EXPECT_DOUBLE_EQ(links.send_free(kServer, 0, 7), 7);
}

TEST(Links, WhatIsUrgentPassesWhatIsNotAndHoldsItUp) {
  Links links(3, 8, /*lanes=*/2);
  EXPECT_DOUBLE_EQ(links.send(0, kServer, 100 * kSecond, 0, /*lane=*/1), 100);
  EXPECT_DOUBLE_EQ(links.send(0, kServer, kSecond, 5, /*lane=*/0), 6);
  EXPECT_DOUBLE_EQ(links.send(0, kServer, kSecond, 5, /*lane=*/0), 7);
  EXPECT_DOUBLE_EQ(links.send(1, kServer, kSecond, 5, /*lane=*/1), 103);  // after all of them
  EXPECT_DOUBLE_EQ(links.send_free(0, kServer, 5, /*lane=*/0), 7);
  EXPECT_DOUBLE_EQ(links.send_free(0, kServer, 5, /*lane=*/1), 100);
}

// Rows of everybody pass through the server for longer than silence is allowed to last.
TEST(Relay, ReportsDoNotQueueBehindRelayedShares) {
  const testing::Sets slow = {"sim.topology=relay", "sim.bandwidth_mbps=0.2", "train.epochs=1",
                              "protocol.dead_after=1"};
  const auto trial = testing::run_world(slow);
  EXPECT_GT(trial->world->setup_seconds(), 3);
  EXPECT_THAT(trial->recorder.notes, ::testing::Each(::testing::Not(::testing::HasSubstr("dead"))));
}

// The first round names versions that everybody holds, so that its time is
//   plan out, evaluate, delay, upload in, open.
double first_round_by_hand(World& world, const Job& job) {
  const auto& a = world.agreement();
  const auto parties = static_cast<std::size_t>(a.shape.parties), b = a.batch_rows(), h = a.width;
  const double bandwidth = job.sim.bandwidth_mbps * 1e6 / 8;
  const double plan = static_cast<double>(8 * parties + 4 * b) / bandwidth;
  const double upload = static_cast<double>(4 * b * h + 8 * parties) / bandwidth;
  std::vector<double> ready;
  for (int n = 0; n < a.shape.parties; ++n) {
    const std::size_t per_entry = a.total_inputs() + a.family->elements(n);
    const double evaluate = static_cast<double>(b * h * per_entry) / (1e9 * job.sim.client_gmacs);
    ready.push_back((n + 1) * plan + evaluate + world.delays().upload(n, 0));
  }
  std::ranges::sort(ready);
  double in_free = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.shape.threshold()); ++i) {
    in_free = std::max(ready[i], in_free) + upload;
  }
  const double samples = static_cast<double>(b) * a.shape.blocks;
  const double decode = samples * a.shape.threshold() * static_cast<double>(h);
  const double central = 3 * samples * world.learner().central().forward_macs_per_row();
  return in_free + (decode + central) / (1e9 * job.sim.server_gmacs);
}

TEST(Simulator, TheFirstRoundTakesWhatItTakesByHand) {
  for (const std::string delays : {"sim.delays=none", "sim.delays=paper"}) {
    for (const std::string rates : {"2", "0.0001"}) {
      const auto trial = fedvs::testing::run_world(
          {delays, "sim.client_gmacs=" + rates, "sim.server_gmacs=" + rates, "train.epochs=1"});
      const auto& first = trial->rounds()[0];
      EXPECT_NEAR(first.opened - first.started, first_round_by_hand(*trial->world, trial->job),
                  1e-9)
          << delays << " " << rates;
      EXPECT_DOUBLE_EQ(first.started, trial->world->simulator().setup_seconds());
    }
  }
}

TEST(Simulator, ARelayedShareTakesTwoHops) {
  const fedvs::testing::Sets sets = {"sim.delays=none", "protocol.late_models=wait"};
  const auto direct = fedvs::testing::run_world(sets);
  const auto relay =
      fedvs::testing::run_world(fedvs::testing::joined(sets, {"sim.topology=relay"}));
  EXPECT_EQ(relay->recorder.losses(), direct->recorder.losses());
  // The first plan needs no shares; the second waits for all N (N-1) of them to cross the server's
  // own link, which takes them one after the other.
  const auto& a = direct->world->agreement();
  double shares = 0;
  for (int n = 0; n < 9; ++n) shares += 8.0 * 4 * static_cast<double>(a.inputs(n) * a.width);
  const auto second = [](const auto& trial) {
    return trial->rounds()[1].opened - trial->rounds()[1].started;
  };
  EXPECT_GT(second(relay), second(direct) + 0.5 * shares * 8 / 300e6);
}

TEST(Simulator, ASlowerNetworkAndSlowerClientsTakeLonger) {
  const auto usual = fedvs::testing::run_world({"sim.delays=none"});
  for (const std::string slow : {"sim.bandwidth_mbps=10", "sim.client_gmacs=0.01"}) {
    const auto slower = fedvs::testing::run_world({"sim.delays=none", slow});
    EXPECT_GT(slower->rounds().back().opened, usual->rounds().back().opened) << slow;
  }
}

// A step goes to all N clients: 8 N bytes, 4 per coded row of its plan, and the gradient of the
// round before it, K b x h floats. Evaluations are free but for the first, which brings a gradient.
// A request for a report is 8 bytes.
TEST(Simulator, CountsTheServersBytes) {
  auto trial = fedvs::testing::make_world({"sim.delays=none", "protocol.late_models=wait"});
  std::uint64_t bytes = 0;
  trial->tamper([&](int, int, protocol::MessagePtr message) {
    if (std::holds_alternative<protocol::ReportRequest>(*message)) bytes += 8;
    return message;
  });
  trial->run();
  ASSERT_TRUE(trial->world->status());
  bool after_training = false;
  for (const auto& [revision, plan] : trial->plans) {
    if (plan->training() || after_training) bytes += 9 * (8 * 9 + 4 * plan->rows.size());
    if (plan->training()) bytes += 9 * 4 * plan->rows.size() * 2 * 4;
    after_training = plan->training();
  }
  EXPECT_EQ(trial->world->simulator().traffic(kServer).sent, bytes);
}

}  // namespace
}  // namespace fedvs::sim
