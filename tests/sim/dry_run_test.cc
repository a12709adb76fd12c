// A dry run computes nothing and yet has the times of the run.
#include "fedvs/sim/dry_run.h"

#include "fedvs/base/thread_pool.h"
#include "fedvs/sim/round_trials.h"
#include "tests/support/world_fixture.h"

namespace fedvs::sim {
namespace {

using fedvs::testing::Sets;

PublicFacts facts_of(World& world) {
  const auto& a = world.agreement();
  PublicFacts facts{
      .features = {}, .rows = {a.rows[0], a.rows[1], a.rows[2]}, .classes = a.classes};
  for (const auto& client : a.clients) facts.features.push_back(client.features);
  return facts;
}

class DryRun : public ::testing::TestWithParam<Sets> {};

TEST_P(DryRun, OpensItsRoundsWhenTheRunWithItsSeedDoes) {
  // Given a run of several epochs with evaluations between them,
  const auto run = fedvs::testing::run_world(GetParam());
  std::vector<double> opened;
  for (const auto& round : run->rounds())
    opened.push_back(run->world->training_seconds(round.opened));
  // When it is run dry with the same seed, then every round is opened at the same time.
  const double macs = run->world->learner().central().forward_macs_per_row();
  const auto dry = dry_run(run->job, facts_of(*run->world), macs, opened.size()).value();
  ASSERT_EQ(dry.size(), opened.size());
  for (std::size_t i = 0; i < dry.size(); ++i)
    EXPECT_NEAR(dry[i], opened[i], 1e-9) << "round " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, DryRun,
    ::testing::Values(Sets{"train.epochs=8"}, Sets{"train.epochs=8", "sim.seed=5", "code.K=1"},
                      Sets{"method=fedvs-paper", "code.K=4"},
                      Sets{"train.epochs=6", "protocol.late_models=drop"},
                      Sets{"train.epochs=6", "sim.topology=relay", "sim.bandwidth_mbps=1"},
                      Sets{"train.epochs=6", "data.validation_share=0.3", "sim.client_gmacs=1e-5"},
                      Sets{"sim.delays=none", "train.evaluate_every=2"}));

TEST(RoundTrials, HaveTheSameTimesHoweverManyThreadsRunThem) {
  const Job job = fedvs::testing::small_job({});
  const PublicFacts facts{.features = {3, 3, 3, 3}, .rows = {100, 0, 20}, .classes = 3};
  const auto trials = RoundTrials::create(job, facts).value();
  ThreadPool::set_default_threads(1);
  const auto alone = trials.round_time(1).value();
  ThreadPool::set_default_threads(3);
  const auto together = trials.round_time(1).value();
  EXPECT_EQ(together.mean, alone.mean);
  EXPECT_EQ(together.spread, alone.spread);
  EXPECT_GT(together.spread, 0);
}

}  // namespace
}  // namespace fedvs::sim
