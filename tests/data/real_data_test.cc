// The paper's six data sets as they are: shapes and class balance as their publishers state them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "fedvs/data/catalog.h"
#include "fedvs/data/prepared.h"

namespace fedvs::data {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

DataJob job_of(const std::string& name) {
  DataJob job;
  job.name = name;
  return job;
}

std::vector<std::size_t> class_counts(const Dataset& set, std::size_t from, std::size_t to) {
  std::vector<std::size_t> count(static_cast<std::size_t>(set.classes), 0);
  for (std::size_t r = from; r < to; ++r) ++count[static_cast<std::size_t>(set.labels[r])];
  return count;
}
std::vector<std::size_t> class_counts(const Dataset& set) {
  return class_counts(set, 0, set.labels.size());
}
std::vector<std::size_t> widths(const Dataset& set) {
  std::vector<std::size_t> width;
  for (const auto& columns : set.client_columns) width.push_back(columns.size());
  return width;
}

#define FEDVS_NEEDS(name)                                            \
  if (!std::filesystem::exists(folder_of(find_entry(name).value()))) \
  GTEST_SKIP() << "FEDVS_DATA is not set, or does not hold " << name

TEST(RealData, FilesAreRight) {
  bool any = false;
  for (const CatalogEntry& entry : catalog()) {
    if (!std::filesystem::exists(folder_of(entry))) continue;
    any = true;
    const CheckReport report = check(entry.name).value();
    EXPECT_TRUE(report.ok()) << report.text();
  }
  if (!any) GTEST_SKIP() << "FEDVS_DATA is not set, and dataset-fashion-mnist is not installed";
}

TEST(RealData, FashionMnist) {
  FEDVS_NEEDS("fashion-mnist");
  const Dataset set = load(job_of("fashion-mnist")).value();
  EXPECT_EQ(set.features.rows, 70000u);
  EXPECT_EQ(set.test_from, 60000u);
  EXPECT_EQ(set.client_columns.size(), 28u);
  EXPECT_THAT(widths(set), Each(28u));
  EXPECT_THAT(class_counts(set, 0, 60000), Each(6000u));
  EXPECT_THAT(class_counts(set, 60000, 70000), Each(1000u));
  EXPECT_EQ(*std::max_element(set.features.values.begin(), set.features.values.end()), 255);
}

TEST(RealData, FashionMnistCanBeDealtToOtherNumbersOfClients) {
  FEDVS_NEEDS("fashion-mnist");
  DataJob job = job_of("fashion-mnist");
  job.clients = 785;
  EXPECT_THAT(load(job).error().message, HasSubstr("only 784 feature columns"));
}

TEST(RealData, Emnist) {
  FEDVS_NEEDS("emnist");
  const Dataset set = load(job_of("emnist")).value();
  EXPECT_EQ(set.features.rows, 109405u);
  EXPECT_EQ(set.test_from, 93775u);
  EXPECT_EQ(set.client_columns.size(), 28u);
  EXPECT_EQ(set.classes, 47);
  const auto train = class_counts(set, 0, 93775), test = class_counts(set, 93775, 109405);
  EXPECT_EQ(*std::min_element(train.begin(), train.end()), 786u);
  EXPECT_EQ(std::count(train.begin(), train.end(), 2400u), 27);
  EXPECT_EQ(*std::min_element(test.begin(), test.end()), 131u);
  EXPECT_EQ(std::count(test.begin(), test.end(), 400u), 27);
  // The classes that fall furthest short of 2800.
  const auto all = class_counts(set);
  std::map<std::string, std::size_t> of_character;
  for (std::size_t c = 0; c < all.size(); ++c) of_character[set.class_names[c]] = all[c];
  EXPECT_EQ(of_character["Q"], 917u);
  EXPECT_EQ(of_character["f"], 926u);
  EXPECT_EQ(of_character["G"], 971u);
}

TEST(RealData, Handwritten) {
  FEDVS_NEEDS("handwritten");
  const Dataset set = load(job_of("handwritten")).value();
  EXPECT_EQ(set.features.rows, 2000u);
  EXPECT_THAT(widths(set), ElementsAre(240, 76, 216, 47, 64, 6));
  EXPECT_EQ(set.classes, 10);
  EXPECT_THAT(class_counts(set), Each(200u));
  EXPECT_DOUBLE_EQ(set.test_share, 0.4);
  DataJob job = job_of("handwritten");
  job.clients = 7;
  EXPECT_THAT(load(job).error().message, HasSubstr("has 6 views, one per client"));
}

TEST(RealData, Caltech7) {
  FEDVS_NEEDS("caltech7");
  const Dataset set = load(job_of("caltech7")).value();
  EXPECT_EQ(set.features.rows, 1474u);
  EXPECT_THAT(widths(set), ElementsAre(48, 40, 254, 1984, 512, 928));
  EXPECT_THAT(class_counts(set), ElementsAre(435, 798, 52, 34, 35, 64, 56));
  EXPECT_DOUBLE_EQ(set.test_share, 0.2);
}

TEST(RealData, CreditCard) {
  FEDVS_NEEDS("credit-card");
  const Dataset set = load(job_of("credit-card")).value();
  EXPECT_EQ(set.features.rows, 30000u);
  EXPECT_THAT(widths(set), ElementsAre(3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2));
  EXPECT_THAT(class_counts(set), ElementsAre(23364, 6636));
  EXPECT_EQ(set.columns.front(), "LIMIT_BAL");
  const auto [low, high] =
      std::minmax_element(set.features.values.begin(), set.features.values.end());
  EXPECT_EQ(*low, -339603);
  EXPECT_EQ(*high, 1684259);
}

TEST(RealData, ParkinsonBySubject) {
  FEDVS_NEEDS("parkinson");
  DataJob job = job_of("parkinson");
  job.split = "subject";
  const Dataset set = load(job).value();
  EXPECT_EQ(set.features.rows, 756u);
  EXPECT_EQ(set.features.cols, 753u);
  EXPECT_THAT(widths(set), ElementsAre(76, 76, 76, 75, 75, 75, 75, 75, 75, 75));
  EXPECT_THAT(class_counts(set), ElementsAre(192, 564));
  std::map<std::int64_t, int> recordings;
  for (std::int64_t subject : set.subjects) ++recordings[subject];
  EXPECT_EQ(recordings.size(), 252u);
  for (const auto& [subject, count] : recordings) EXPECT_EQ(count, 3) << subject;
  const PreparedJob prepared = prepare(set, job).value();
  EXPECT_EQ(prepared.labels[static_cast<int>(Part::kTest)].size(), 228u);  // 76 subjects
  for (const Prepared& client : prepared.clients)
    for (const Table& table : client.features)
      for (float value : table.values) ASSERT_LE(std::abs(value), 3.0f);
}

}  // namespace
}  // namespace fedvs::data
