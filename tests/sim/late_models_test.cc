// What becomes of models that come late: reuse, wait, drop; and what happens to abandoned plans.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "fedvs/protocol/segments.h"
#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using protocol::Plan;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::Sets;

constexpr std::size_t kWarmUp = 5;  // rounds

std::set<std::optional<protocol::StepNumber>> steps_of(const Plan& plan,
                                                       const std::vector<int>& group) {
  std::set<std::optional<protocol::StepNumber>> steps;
  for (int n : group) {
    const auto& version = plan.versions[static_cast<std::size_t>(n)];
    steps.insert(version ? std::optional(version->step) : std::nullopt);
  }
  return steps;
}

void expect_one_version_per_group(const testing::Trial& trial) {
  ASSERT_EQ(trial.recorder.groups.size(), 3u);
  for (const auto& [revision, plan] : trial.plans) {
    if (plan->round < kWarmUp) {
      EXPECT_THAT(testing::ages(*plan), Each(0u)) << "revision " << revision;
      continue;
    }
    for (const auto& group : trial.recorder.groups) {
      EXPECT_EQ(steps_of(*plan, group).size(), 1u) << "revision " << revision;
    }
  }
}

std::unique_ptr<testing::Trial> recorded_run(const Sets& sets) {
  auto trial = testing::make_world(sets);
  trial->tamper();
  trial->run();
  EXPECT_TRUE(trial->world->status()) << trial->world->status().error().message;
  return trial;
}

TEST(Reuse, NamesOneVersionPerGroup) {
  for (const std::string seed : {"sim.seed=1", "sim.seed=9"}) {
    const auto trial = recorded_run({seed, "train.epochs=8"});
    expect_one_version_per_group(*trial);
  }
}

TEST(Reuse, NoGroupGrowsOlderThanMaxAge) {
  for (const std::string max_age : {"2", "10"}) {
    const auto trial = recorded_run({"train.epochs=8", "protocol.max_age=" + max_age});
    std::uint64_t most = 0;
    for (const auto& [revision, plan] : trial->plans) most = std::max(most, testing::oldest(*plan));
    EXPECT_EQ(most, std::stoull(max_age));  // delays are strong enough that the bound is met
  }
}

TEST(Reuse, ALateGroupsFeaturesStillCount) {
  // Given a run, and the first round in which the slowest group takes part with an old model.
  const Job job = testing::small_job({});
  const auto reference = testing::run_world({});
  std::size_t round = kWarmUp;
  while (testing::oldest(*reference->rounds()[round].plan) == 0) ++round;
  ASSERT_LT(round, 7u) << "the rows must be new in that round: it has to be in the first epoch";
  const Plan& plan = *reference->rounds()[round].plan;
  // When that group's features of the round's rows are wiped out.
  auto prepared = testing::prepared(job);
  for (std::size_t n = 0; n < prepared.clients.size(); ++n) {
    if (plan.versions[n]->step == plan.round) continue;
    auto& table = prepared.clients[n].features[0];
    for (std::size_t sample :
         protocol::samples_of(reference->world->agreement(), data::Part::kTrain, plan.rows)) {
      if (sample != model::kPadding) std::fill_n(table.row(sample), table.cols, 0.0f);
    }
  }
  auto wiped = testing::make_world(job, std::move(prepared));
  wiped->run();
  // Then all rounds before are the same, and that round's loss is not.
  for (std::size_t i = 0; i < round; ++i) {
    EXPECT_EQ(wiped->rounds()[i].loss, reference->rounds()[i].loss);
  }
  EXPECT_NE(wiped->rounds()[round].loss, reference->rounds()[round].loss);
}

TEST(Reuse, TakesLessTimeThanWaiting) {
  const auto reuse = testing::run_world({}),
             wait = testing::run_world({"protocol.late_models=wait"});
  EXPECT_LT(reuse->rounds().back().opened, wait->rounds().back().opened);
}

TEST(Wait, NamesFreshVersionsOnly) {
  const auto trial = recorded_run({"protocol.late_models=wait"});
  for (const auto& [revision, plan] : trial->plans) EXPECT_THAT(testing::ages(*plan), Each(0u));
}

TEST(Wait, AClientReportsOnceWhatAPlanNamesAndNothingLess) {
  auto trial = testing::make_world({"protocol.late_models=wait", "train.epochs=4"});
  std::map<std::pair<int, std::optional<protocol::StepNumber>>, int> reports;  // of a client's step
  trial->tamper([&](int, int, protocol::MessagePtr message) {
    const auto* report = std::get_if<protocol::Report>(message.get());
    if (report == nullptr || trial->recorder.groups.empty()) return message;
    const auto& newest = report->holdings.newest;
    for (const auto& held : newest) {
      EXPECT_EQ(held->step, newest[0]->step) << "client " << report->from;
    }
    ++reports[{report->from, newest[0]->step}];
    return message;
  });
  trial->run();
  for (const auto& [of, count] : reports) EXPECT_EQ(count, 1) << of.first << " " << *of.second;
  EXPECT_GE(reports.size(), 5 * (trial->rounds().size() - kWarmUp - 1));  // of R clients at least
}

const Sets kDrop = {"protocol.late_models=drop", "train.epochs=14", "sim.seed=6",
                    "train.client_optimizer=momentum"};

TEST(Drop, DropsWholeGroupsAndNamesFreshVersionsOfTheOthers) {
  const auto trial = recorded_run(kDrop);
  expect_one_version_per_group(*trial);
  std::size_t dropped = 0;
  for (const auto& record : trial->rounds()) {
    EXPECT_THAT(testing::ages(*record.plan), Each(0u));
    EXPECT_GT(record.plan->summed_clients(), 0);
    dropped += record.plan->summed_clients() < 9;
  }
  EXPECT_GT(dropped, 0u);
}

std::vector<std::vector<float>> weights_of(const testing::Trial& trial) {
  std::vector<std::vector<float>> weights;
  for (const auto& client : trial.world->clients()) {
    weights.push_back(client->model().network().weights);
  }
  return weights;
}

TEST(Drop, OnlyTheClientsInTheSumLearn) {
  auto trial = testing::make_world(kDrop);
  std::size_t dropped = 0;
  auto before = weights_of(*trial);
  for (std::size_t round = 1; !trial->world->done(); ++round) {
    // When a round opens, every client has learned from the one before it.
    trial->run_until_round(round);
    if (trial->rounds().size() < round) break;
    const auto after = weights_of(*trial);
    for (std::size_t n = 0; round > 1 && n < after.size(); ++n) {
      const bool summed = trial->rounds()[round - 2].plan->versions[n].has_value();
      EXPECT_EQ(after[n] != before[n], summed) << "round " << round - 2 << " client " << n + 1;
      dropped += !summed;
    }
    before = after;
  }
  EXPECT_GT(dropped, 0u);
}

// ---- revisions

// An abandoned plan counts as opened: its rows come again only with the same versions.
void expect_nothing_opened_twice(const testing::Trial& trial) {
  std::map<std::tuple<int, data::Part, std::size_t>, Digest> vector_of_row;
  for (const auto& [revision, plan] : trial.plans) {
    for (std::size_t row : plan->rows) {
      const auto id = protocol::version_vector_id(*plan);
      const auto [entry, first] = vector_of_row.try_emplace({plan->epoch, plan->part, row}, id);
      EXPECT_EQ(entry->second, id) << "revision " << revision << " row " << row;
    }
  }
}

TEST(Revisions, AnAbandonedPlansRowsWaitForTheNextEpoch) {
  // Given a run in which a group that used to be on time was not, once.
  const auto trial = recorded_run({"sim.seed=9", "train.epochs=14"});
  EXPECT_THAT(trial->recorder.notes,
              Contains(HasSubstr("revised with older models and other rows")));
  int abandoned = 0;
  for (const auto& record : trial->rounds()) abandoned += record.abandoned;
  EXPECT_GT(abandoned, 0);
  expect_nothing_opened_twice(*trial);
  expect_one_version_per_group(*trial);
}

// ---- runs that go wrong by themselves

TEST(Divergence, EndsTheRunWithAnErrorThatNamesTheRates) {
  auto trial = testing::make_world({"train.lr=1e30"});
  trial->run();
  ASSERT_FALSE(trial->world->status());
  EXPECT_THAT(trial->world->status().error().message,
              AllOf(HasSubstr("training diverged"), HasSubstr("lower train.lr")));
}

TEST(Divergence, WeightsThatOutgrowTheRingEndTheRunBeforeTheyAreShared) {
  auto trial = testing::make_world({"train.lr_client=1e6", "train.epochs=2"});
  trial->run();
  ASSERT_FALSE(trial->world->status());
  EXPECT_THAT(trial->world->status().error().message,
              AllOf(HasSubstr("'s model has"), HasSubstr("train.lr_client")));
}

}  // namespace
}  // namespace fedvs
