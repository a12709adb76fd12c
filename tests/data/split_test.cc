#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fedvs/data/prepared.h"

namespace fedvs::data {
namespace {

using testing::HasSubstr;

Dataset numbered_rows(std::size_t rows) {
  Dataset set;
  set.name = "rows";
  set.features = {rows, 1, std::vector<float>(rows)};
  std::iota(set.features.values.begin(), set.features.values.end(), 0.0f);
  set.client_columns = {{0}};
  set.labels.assign(rows, 0);
  return set;
}
const std::vector<std::size_t>& rows_of(const Split& split, Part part) {
  return split.rows[static_cast<int>(part)];
}
std::vector<std::size_t> all_rows_sorted(const Split& split) {
  std::vector<std::size_t> all;
  for (const auto& rows : split.rows) all.insert(all.end(), rows.begin(), rows.end());
  std::sort(all.begin(), all.end());
  return all;
}
std::vector<std::size_t> zero_to(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

TEST(Split, EveryRowIsInExactlyOnePartOfTheAskedSize) {
  DataJob job;
  job.test_share = 0.2;
  job.validation_share = 0.25;
  const Split split = split_rows(numbered_rows(1000), job).value();
  EXPECT_EQ(rows_of(split, Part::kTest).size(), 200u);
  EXPECT_EQ(rows_of(split, Part::kValidation).size(), 200u);
  EXPECT_EQ(rows_of(split, Part::kTrain).size(), 600u);
  EXPECT_EQ(all_rows_sorted(split), zero_to(1000));
}

TEST(Split, IsTheSameForTheSameSeedOnly) {
  DataJob job;
  const Dataset set = numbered_rows(500);
  const Split first = split_rows(set, job).value(), again = split_rows(set, job).value();
  job.split_seed = 2;
  const Split other = split_rows(set, job).value();
  for (int part = 0; part < kParts; ++part) EXPECT_EQ(first.rows[part], again.rows[part]);
  EXPECT_NE(rows_of(first, Part::kTest), rows_of(other, Part::kTest));
}

TEST(Split, IsPinnedForAllPlatformsAndVersions) {
  // Parties of different builds must agree: the order is that of another
  // implementation of SplitMix64 and Fisher-Yates.
  const Split split = split_rows(numbered_rows(10), {}).value();
  std::vector<std::size_t> order = rows_of(split, Part::kTest);
  order.insert(order.end(), rows_of(split, Part::kTrain).begin(),
               rows_of(split, Part::kTrain).end());
  EXPECT_EQ(order, (std::vector<std::size_t>{9, 0, 8, 6, 5, 2, 3, 7, 4, 1}));
}

TEST(Split, LeavesAPublishedTestSetWhereItIs) {
  Dataset set = numbered_rows(100);
  set.test_from = 80;
  DataJob job;
  job.validation_share = 0.1;
  const Split split = split_rows(set, job).value();
  std::vector<std::size_t> test = rows_of(split, Part::kTest);
  EXPECT_FALSE(std::is_sorted(test.begin(), test.end()));
  std::sort(test.begin(), test.end());
  EXPECT_EQ(test.front(), 80u);
  EXPECT_EQ(test.size(), 20u);
  EXPECT_EQ(rows_of(split, Part::kValidation).size(), 8u);
  EXPECT_EQ(all_rows_sorted(split), zero_to(100));
  job.test_share = 0.3;
  EXPECT_THAT(split_rows(set, job).error().message, HasSubstr("published test set of 20 rows"));
}

TEST(Split, NeverSplitsASubject) {
  // Given 3 rows for each of 60 subjects, for many seeds
  Dataset set = numbered_rows(180);
  for (std::int64_t row = 0; row < 180; ++row) set.subjects.push_back(row % 60);
  DataJob job;
  job.split = "subject";
  job.validation_share = 0.2;
  for (job.split_seed = 0; job.split_seed < 50; ++job.split_seed) {
    const Split split = split_rows(set, job).value();
    EXPECT_EQ(rows_of(split, Part::kTest).size(), 54u);  // 18 subjects, 30 %
    EXPECT_EQ(all_rows_sorted(split), zero_to(180));
    // Then the three rows of a subject share a part.
    std::vector<std::set<int>> parts(60);
    for (int part = 0; part < kParts; ++part)
      for (std::size_t row : split.rows[part]) parts[row % 60].insert(part);
    for (const auto& seen : parts) EXPECT_EQ(seen.size(), 1u);
  }
}

TEST(Split, RefusesSubjectsThatAreNotKnown) {
  DataJob job;
  job.split = "subject";
  EXPECT_THAT(split_rows(numbered_rows(10), job).error().message,
              HasSubstr("does not say which rows are of one subject"));
  job.split = "person";
  EXPECT_THAT(split_rows(numbered_rows(10), job).error().message,
              HasSubstr("data.split = \"person\"; use \"row\" or \"subject\""));
}

TEST(Split, RefusesSharesThatLeaveNothingToTrainOn) {
  DataJob job;
  job.test_share = 1;
  EXPECT_THAT(split_rows(numbered_rows(10), job).error().message, HasSubstr("data.test_share = 1"));
  job.test_share = 0.5;
  job.validation_share = -0.1;
  EXPECT_THAT(split_rows(numbered_rows(10), job).error().message,
              HasSubstr("data.validation_share = -0.1"));
  job.validation_share = 0.9;
  EXPECT_THAT(split_rows(numbered_rows(2), job).error().message,
              HasSubstr("leaves none for training"));
}

}  // namespace
}  // namespace fedvs::data
