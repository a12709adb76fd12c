// FedVS is lossless: losses identical bit for bit, round by round, to a plaintext twin that
// quantises the same way.
#include <gmock/gmock.h>

#include <filesystem>

#include "fedvs/base/thread_pool.h"
#include "tests/support/plaintext_twin.h"
#include "tests/support/rings.h"
#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using testing::Sets;
using testing::Trial;

std::vector<double> twin_losses(Trial& trial) {
  testing::PlaintextTwin twin(trial.job, testing::prepared(trial.job), trial.world->agreement());
  return twin.replay(trial.rounds());
}

// The run's losses and final probabilities are its twin's, to the last bit.
void expect_lossless(Trial& trial) {
  testing::PlaintextTwin twin(trial.job, testing::prepared(trial.job), trial.world->agreement());
  ASSERT_GT(trial.rounds().size(), 5u);
  EXPECT_EQ(trial.recorder.losses(), twin.replay(trial.rounds()));
  EXPECT_EQ(trial.probabilities(), twin.final_probabilities());
}

TEST(Lossless, WaitGivesTheTwinsLossesWhicheverTwoOfFiveClientsStraggle) {
  // Given N=5, K=1, T=1: R = 3, so any two may never answer.
  const Sets sets = {"data.clients=5", "code.K=1", "train.epochs=1", "protocol.late_models=wait"};
  const auto reference = testing::run_world(sets);
  expect_lossless(*reference);
  for (const auto& stragglers : testing::subsets(5, 2)) {
    // When two clients' uploads never arrive.
    auto trial = testing::make_world(sets);
    trial->lose_uploads_of(stragglers);
    trial->run();
    // Then nothing changes.
    ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
    EXPECT_EQ(trial->recorder.losses(), reference->recorder.losses());
    EXPECT_EQ(trial->probabilities(), reference->probabilities());
    for (const auto& record : trial->rounds()) {
      for (int straggler : stragglers) {
        EXPECT_THAT(record.responders, ::testing::Not(::testing::Contains(straggler)));
      }
    }
  }
}

TEST(Lossless, WaitGivesTheTwinsLossesWhenFourOfNineClientsStraggle) {
  const Sets sets = {"protocol.late_models=wait", "model.degrees=[2]", "train.lr_decay=0.7"};
  const auto reference = testing::run_world(sets);
  expect_lossless(*reference);
  for (const std::vector<int>& stragglers : {std::vector{0, 1, 2, 3}, {5, 6, 7, 8}, {0, 3, 4, 8}}) {
    auto trial = testing::make_world(sets);
    trial->lose_uploads_of(stragglers);
    trial->run();
    ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
    EXPECT_EQ(trial->recorder.losses(), reference->recorder.losses());
  }
}

TEST(Lossless, ReuseGivesTheLossesOfAReplayOfItsPlans) {
  for (const std::string seed : {"sim.seed=1", "sim.seed=2"}) {
    const auto trial = testing::run_world({seed, "train.epochs=6"});
    expect_lossless(*trial);
    // The claim is not empty: late groups took part with old models.
    std::size_t with_old_models = 0;
    for (const auto& record : trial->rounds()) with_old_models += testing::oldest(*record.plan) > 0;
    EXPECT_GT(with_old_models, trial->rounds().size() / 4);
  }
}

TEST(Lossless, DropGivesTheLossesOfAReplayOfItsPlans) {
  const auto trial =
      testing::run_world({"protocol.late_models=drop", "train.epochs=14", "sim.seed=6"});
  expect_lossless(*trial);
  std::size_t with_fewer = 0;
  for (const auto& record : trial->rounds()) with_fewer += record.plan->summed_clients() < 9;
  EXPECT_GT(with_fewer, 0u);
}

TEST(Lossless, AllRingsGiveTheSameLosses) {
  const auto rns4 = testing::run_world({"code.ring=rns4"});
  expect_lossless(*rns4);
  for (const std::string ring : {"m31", "rns5", "rns8"}) {
    const auto& scales = rns4->world->agreement().scales;
    const auto other =
        testing::run_world({"code.ring=" + ring, "code.l_x=" + std::to_string(scales.l_x),
                            "code.l_w=" + std::to_string(scales.l_w)});
    EXPECT_EQ(other->recorder.losses().size(), rns4->recorder.losses().size()) << ring;
    EXPECT_EQ(twin_losses(*other), other->recorder.losses()) << ring;
  }
  // m31 and rns4 choose the same scales by themselves, so the whole run is the same.
  const auto m31 = testing::run_world({"code.ring=m31"});
  EXPECT_EQ(m31->recorder.losses(), rns4->recorder.losses());
  EXPECT_EQ(m31->probabilities(), rns4->probabilities());
}

TEST(Lossless, ThePapersOpeningGivesTheSameLossesAsTheMaskedOne) {
  const Sets wait = {"code.ring=m31", "protocol.late_models=wait"};
  const auto masked = testing::run_world(wait);
  const auto paper = testing::run_world(testing::joined(wait, {"protocol.opening=paper"}));
  EXPECT_EQ(paper->recorder.losses(), masked->recorder.losses());
  EXPECT_EQ(paper->probabilities(), masked->probabilities());
}

TEST(Lossless, LossesDoNotDependOnTheNumberOfThreads) {
  const Sets sets = {"model.width=16", "model.hidden=[32, 16]"};
  std::vector<double> losses;
  std::vector<float> probabilities;
  for (int threads : {1, 2, 4}) {
    ThreadPool::set_default_threads(threads);
    const auto trial = testing::run_world(sets);
    if (threads == 1) {
      losses = trial->recorder.losses();
      probabilities = trial->probabilities();
    }
    EXPECT_EQ(trial->recorder.losses(), losses) << threads;
    EXPECT_EQ(trial->probabilities(), probabilities) << threads;
  }
}

TEST(Lossless, AModelThatOutgrowsTheRingEndsTheRunWithTheRingThatWouldDo) {
  // Given scales so fine that the models do not fit the ring as they are.
  auto trial = testing::make_world({"code.l_x=12", "code.l_w=16"});
  trial->run();
  // Then nothing is opened with them.
  ASSERT_FALSE(trial->world->status());
  EXPECT_EQ(trial->world->status().error().code, ErrorCode::kBadJob);
  EXPECT_THAT(trial->world->status().error().message,
              ::testing::AllOf(::testing::HasSubstr("outgrown ring rns4"),
                               ::testing::HasSubstr("code.ring = rns5 would do")));
  // And in that ring the run goes through, exactly.
  const auto wide = testing::run_world({"code.l_x=12", "code.l_w=16", "code.ring=rns5"});
  EXPECT_EQ(twin_losses(*wide), wide->recorder.losses());
}

data::Dataset first_rows(const data::Dataset& set, std::size_t train, std::size_t test) {
  data::Dataset few = set;
  few.features = {train + test, set.features.cols, {}};
  few.labels.clear();
  few.test_from = train;
  for (std::size_t i = 0; i < train + test; ++i) {
    const std::size_t row = i < train ? i : *set.test_from + i - train;
    few.features.values.insert(few.features.values.end(), set.features.row(row),
                               set.features.row(row) + set.features.cols);
    few.labels.push_back(set.labels[row]);
  }
  return few;
}

TEST(Lossless, FashionMnistGivesTheTwinsLosses) {
  const auto folder = data::folder_of(data::find_entry("fashion-mnist").value());
  if (!std::filesystem::exists(folder)) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed, and FEDVS_DATA does not hold it";
  }
  const Job job = complete_job({.toml = std::nullopt,
                                .sets = {"data.name=fashion-mnist", "train.epochs=2",
                                         "model.width=16", "model.hidden=[16, 16]"}})
                      .value();
  const auto rows = first_rows(data::load(job.data).value(), 2000, 200);
  const auto prepared = data::prepare(rows, job.data).value();
  auto trial = testing::make_world(job, prepared);
  trial->run();
  ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
  testing::PlaintextTwin twin(job, prepared, trial->world->agreement());
  EXPECT_EQ(trial->recorder.losses(), twin.replay(trial->rounds()));
  EXPECT_EQ(trial->probabilities(), twin.final_probabilities());
  EXPECT_LT(trial->recorder.losses().back(), trial->recorder.losses().front());
}

}  // namespace
}  // namespace fedvs
