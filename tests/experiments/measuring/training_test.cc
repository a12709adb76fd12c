// What is timed must be what it claims to be: all parties' whole work, whole epochs.
#include "fedvs/experiments/measuring/training.h"

#include <gtest/gtest.h>

#include "fedvs/job/parse.h"

namespace fedvs::measuring {
namespace {

std::unique_ptr<Training> small_training(const std::vector<std::string>& more) {
  std::vector<std::string> sets = {
      "data.name=synthetic", "data.clients=9",      "code.K=2",
      "model.width=4",       "model.hidden=[6, 5]", "train.batch_size=20"};
  sets.insert(sets.end(), more.begin(), more.end());
  const Job job = complete_job({.toml = std::nullopt, .sets = sets}).value();
  return Training::start(job, {.rows = 174, .features = 20, .classes = 3}).value();
}

TEST(RandomTable, HasTheShapeAskedForWithColumnsDealtEvenly) {
  const auto table = random_table({.rows = 10, .features = 7, .classes = 3}, /*clients=*/3);
  ASSERT_EQ(table.clients.size(), 3u);
  EXPECT_EQ(table.clients[0].features[0].cols, 3u);
  EXPECT_EQ(table.clients[2].features[0].cols, 2u);
  EXPECT_EQ(table.clients[1].features[0].rows, 10u);
  for (const int label : table.labels[0]) EXPECT_LT(label, 3);
}

TEST(Training, EveryClientUploadsInEveryRoundWhenNobodyIsLate) {
  const auto training = small_training({"sim.delays=none", "protocol.late_models=wait"});
  EXPECT_EQ(training->uploads_per_round(10).value(), 9);
}

TEST(Training, GoesOnPastAnyNumberOfEpochsWithoutEvaluating) {
  // Given 174 rows in two segments, 10 coded rows a round: nine rounds an epoch.
  const auto training = small_training({"sim.delays=none", "train.epochs=1"});
  EXPECT_EQ(training->rounds_per_epoch(), 9u);
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_TRUE(training->run(training->rounds_per_epoch()));
  }
}

TEST(Training, AJobThatCannotWorkIsRefused) {
  const Job job = complete_job({.toml = std::nullopt,
                                .sets = {"data.name=synthetic", "data.clients=3", "code.K=9"}})
                      .value();
  EXPECT_FALSE(Training::start(job, {.rows = 174, .features = 20, .classes = 3}));
}

}  // namespace
}  // namespace fedvs::measuring
