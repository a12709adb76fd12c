#include <gmock/gmock.h>

#include <cmath>

#include "fedvs/base/thread_pool.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/prepared.h"

namespace fedvs::data {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

Dataset one_column(std::vector<float> values) {
  Dataset set;
  set.features = {values.size(), 1, values};
  set.client_columns = {{0}};
  return set;
}

TEST(Standardiser, SubtractsTheMeanAndDividesByThePopulationSpread) {
  const Dataset set = one_column({2, 4, 4, 4, 5, 5, 7, 9});  // mean 5, spread 2
  const std::vector<std::size_t> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const Standardiser fitted = Standardiser::fit(set, {0}, rows, 3);
  EXPECT_THAT(fitted.mean, ElementsAre(5));
  EXPECT_THAT(fitted.spread, ElementsAre(2));
  EXPECT_THAT(fitted.apply(set, {0}, {7, 0}).values, ElementsAre(2, -1.5f));
}

TEST(Standardiser, KnowsTrainingRowsOnly) {
  // Given two sets that differ in a row outside the training rows, by far
  const Dataset calm = one_column({1, 2, 3, 4, 5}), wild = one_column({1, 2, 3, 4, 1e30f});
  const Standardiser a = Standardiser::fit(calm, {0}, {0, 1, 2, 3}, 3);
  const Standardiser b = Standardiser::fit(wild, {0}, {0, 1, 2, 3}, 3);
  // Then they standardise alike, and the outlier is clipped.
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.spread, b.spread);
  EXPECT_THAT(b.apply(wild, {0}, {4}).values, ElementsAre(3));
}

TEST(Standardiser, MakesAConstantColumnZeroEverywhere) {
  // 0.1f added up and divided is not 0.1f again: the spread must be found 0 all the same.
  const Dataset set = one_column({0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 7});
  const Standardiser fitted = Standardiser::fit(set, {0}, {0, 1, 2, 3, 4, 5, 6}, 3);
  EXPECT_THAT(fitted.spread, ElementsAre(0));
  EXPECT_THAT(fitted.apply(set, {0}, {0, 7}).values, ElementsAre(0, 0));
}

TEST(Standardiser, KeepsSmallDifferencesBesideALargeMean) {
  const Dataset set = one_column({1e7f, 1e7f + 1, 1e7f + 2, 1e7f + 3});
  const Standardiser fitted = Standardiser::fit(set, {0}, {0, 1, 2, 3}, 3);
  EXPECT_DOUBLE_EQ(fitted.spread[0], std::sqrt(1.25));
}

Dataset synthetic(int clients) {
  DataJob job;
  job.name = "synthetic";
  job.clients = clients;
  return load(job).value();
}

TEST(Prepare, GivesEveryClientItsColumnsAndTheServerTheLabels) {
  const Dataset set = synthetic(5);
  DataJob job;
  job.validation_share = 0.1;
  const Split split = split_rows(set, job).value();
  const PreparedJob prepared = prepare(set, job).value();
  ASSERT_EQ(prepared.clients.size(), 5u);
  for (int part = 0; part < kParts; ++part) {
    ASSERT_EQ(prepared.labels[part].size(), split.rows[part].size());
    for (std::size_t i = 0; i < split.rows[part].size(); ++i)
      EXPECT_EQ(prepared.labels[part][i], set.labels[split.rows[part][i]]);
    for (std::size_t n = 0; n < 5; ++n) {
      EXPECT_EQ(prepared.clients[n].features[part].rows, split.rows[part].size());
      EXPECT_EQ(prepared.clients[n].features[part].cols, set.client_columns[n].size());
    }
  }
}

TEST(Prepare, LeavesTrainingColumnsWithMeanZeroAndSpreadOne) {
  DataJob job;
  job.clip = 100;  // beyond any value, so that nothing is cut
  const PreparedJob prepared = prepare(synthetic(4), job).value();
  for (const Prepared& client : prepared.clients) {
    const Table& train = client.features[static_cast<int>(Part::kTrain)];
    for (std::size_t c = 0; c < train.cols; ++c) {
      double sum = 0, squares = 0;
      for (std::size_t r = 0; r < train.rows; ++r) {
        sum += train.row(r)[c];
        squares += train.row(r)[c] * train.row(r)[c];
      }
      EXPECT_NEAR(sum / static_cast<double>(train.rows), 0, 1e-6);
      EXPECT_NEAR(squares / static_cast<double>(train.rows), 1, 1e-5);
    }
  }
}

TEST(Prepare, DoesNotDependOnThreads) {
  const Dataset set = synthetic(7);
  ThreadPool::set_default_threads(1);
  const PreparedJob one = prepare(set, {}).value();
  ThreadPool::set_default_threads(4);
  const PreparedJob four = prepare(set, {}).value();
  for (std::size_t n = 0; n < 7; ++n)
    for (int part = 0; part < kParts; ++part)
      EXPECT_EQ(one.clients[n].features[part].values, four.clients[n].features[part].values);
}

TEST(Prepare, CutsAtTheClip) {
  DataJob job;
  job.clip = 0.5;
  const PreparedJob prepared = prepare(synthetic(3), job).value();
  for (const Prepared& client : prepared.clients)
    for (const Table& table : client.features)
      EXPECT_THAT(table.values, Each(testing::AllOf(testing::Ge(-0.5f), testing::Le(0.5f))));
  job.clip = 0;
  EXPECT_THAT(prepare(synthetic(3), job).error().message, HasSubstr("data.clip = 0"));
}

}  // namespace
}  // namespace fedvs::data
