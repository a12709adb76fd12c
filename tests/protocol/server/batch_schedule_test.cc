#include "fedvs/protocol/server/batch_schedule.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "fedvs/protocol/segments.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::ElementsAre;
using Batches = std::vector<std::vector<std::size_t>>;

Batches epoch_of(BatchSchedule& schedule) {
  Batches batches;
  do {
    batches.push_back(schedule.take().rows);
  } while (schedule.epoch_has_more());
  return batches;
}

std::vector<std::size_t> sizes(const Batches& batches) {
  std::vector<std::size_t> all;
  for (const auto& batch : batches) all.push_back(batch.size());
  return all;
}

std::vector<std::size_t> sorted_rows(const Batches& batches) {
  std::vector<std::size_t> rows;
  for (const auto& batch : batches) rows.insert(rows.end(), batch.begin(), batch.end());
  std::ranges::sort(rows);
  return rows;
}

std::vector<std::size_t> numbers_to(std::size_t end) {
  std::vector<std::size_t> numbers(end);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

TEST(BatchSchedule, TakesEveryCodedRowOnceInEveryEpoch) {
  const Agreement agreement = fedvs::testing::small_agreement({}, 43);
  BatchSchedule schedule(agreement, /*seed=*/3);
  Batches before;
  for (int epoch = 0; epoch < 4; ++epoch) {
    EXPECT_EQ(schedule.epoch(), std::max(0, epoch - 1));  // the next one starts with take()
    const Batches batches = epoch_of(schedule);
    EXPECT_EQ(schedule.epoch(), epoch);
    EXPECT_EQ(sorted_rows(batches), numbers_to(22));
    EXPECT_NE(batches, before);
    before = batches;
  }
}

TEST(BatchSchedule, IsDeterminedByItsSeed) {
  const Agreement agreement = fedvs::testing::small_agreement();
  BatchSchedule one(agreement, 3), same(agreement, 3), other(agreement, 4);
  const Batches batches = epoch_of(one);
  EXPECT_EQ(epoch_of(same), batches);
  EXPECT_NE(epoch_of(other), batches);
}

TEST(BatchSchedule, KeepsAShortLastBatch) {
  const Agreement agreement =
      fedvs::testing::small_agreement({"code.K=1", "train.batch_size=5"}, 22);
  BatchSchedule schedule(agreement, 1);
  EXPECT_THAT(sizes(epoch_of(schedule)), ElementsAre(5, 5, 5, 5, 2));
}

TEST(BatchSchedule, APaddedRowAloneJoinsAnotherBatchWhereverItFalls) {
  // Given batches of one coded row each, K = 2, and a row whose second sample is padding.
  const Agreement agreement = fedvs::testing::small_agreement({"train.batch_size=2"}, 21);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BatchSchedule schedule(agreement, seed);
    const Batches batches = epoch_of(schedule);
    EXPECT_EQ(sorted_rows(batches), numbers_to(11));
    EXPECT_EQ(batches.size(), 10u);
    for (const auto& batch : batches) EXPECT_LE(batch.size(), agreement.most_rows());
  }
}

TEST(BatchSchedule, ALastBatchOfOneSampleJoinsTheOneBefore) {
  const Agreement agreement =
      fedvs::testing::small_agreement({"code.K=1", "train.batch_size=5"}, 21);
  BatchSchedule schedule(agreement, 1);
  EXPECT_THAT(sizes(epoch_of(schedule)), ElementsAre(5, 5, 5, 6));
  EXPECT_EQ(agreement.most_rows(), 6u);
}

TEST(BatchSchedule, CountsSamplesNotPadding) {
  // Given 41 samples in two segments of 21: coded row 20 stands for sample 20 and a padding row.
  const Agreement agreement = fedvs::testing::small_agreement({}, 41);
  BatchSchedule schedule(agreement, 1);
  int joined = 0;
  for (int epoch = 0; epoch < 100; ++epoch) {
    const Batches batches = epoch_of(schedule);
    // Then a last batch of one coded row joins only if that is the row with one sample.
    if (batches.back().size() == 1) {
      EXPECT_NE(batches.back()[0], 20u);
    } else {
      EXPECT_EQ(batches.back().size(), 6u);
      EXPECT_EQ(batches.back()[5], 20u);
      ++joined;
    }
  }
  EXPECT_GT(joined, 0);
}

TEST(EvaluationChunks, CoverAPartInOrderWithinTheMasksSize) {
  const Agreement agreement = fedvs::testing::small_agreement({"train.batch_size=4"});
  EXPECT_THAT(evaluation_chunks(agreement, data::Part::kTest),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(evaluation_chunks(agreement, data::Part::kValidation),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST(Segments, ACodedRowStandsForOneSampleOfEverySegment) {
  const Agreement agreement = fedvs::testing::small_agreement({}, 41);
  const std::vector<std::size_t> rows = {3, 20};
  EXPECT_THAT(samples_of(agreement, data::Part::kTrain, rows),
              ElementsAre(3, 20, 24, model::kPadding));
}

}  // namespace
}  // namespace fedvs::protocol
