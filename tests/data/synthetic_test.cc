#include "fedvs/data/synthetic.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

namespace fedvs::data {
namespace {

using testing::HasSubstr;

double squared_distance(const float* a, const float* b, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Accuracy on the second half of answering with the nearest of the first half's rows.
double nearest_neighbour_accuracy(const Dataset& set) {
  const std::size_t half = set.features.rows / 2;
  std::size_t right = 0;
  for (std::size_t r = half; r < set.features.rows; ++r) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (std::size_t s = 0; s < half; ++s) {
      const double far =
          squared_distance(set.features.row(r), set.features.row(s), set.features.cols);
      if (far < least) least = far, best = s;
    }
    right += set.labels[best] == set.labels[r];
  }
  return static_cast<double>(right) / static_cast<double>(set.features.rows - half);
}

TEST(Synthetic, HasTheShapeThatTheJobAsksFor) {
  DataJob job;
  job.rows = 90, job.features = 10, job.classes = 3, job.clients = 4;
  const Dataset set = make_synthetic(job).value();
  EXPECT_EQ(set.features.rows, 90u);
  EXPECT_EQ(set.features.cols, 10u);
  EXPECT_EQ(set.client_columns.size(), 4u);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(std::count(set.labels.begin(), set.labels.end(), c), 30);
}

TEST(Synthetic, CanBeLearned) {
  DataJob job;
  job.rows = 1000, job.features = 12, job.classes = 4;
  EXPECT_GT(nearest_neighbour_accuracy(make_synthetic(job).value()), 0.85);
}

TEST(Synthetic, IsDrawnFromTheSeed) {
  DataJob job;
  const Dataset first = make_synthetic(job).value();
  EXPECT_EQ(first.features.values, make_synthetic(job).value().features.values);
  job.split_seed = 2;
  EXPECT_NE(first.features.values, make_synthetic(job).value().features.values);
}

TEST(Synthetic, RefusesSizesThatCannotWork) {
  const auto error = [](auto change) {
    DataJob job;
    change(job);
    return make_synthetic(job).error().message;
  };
  EXPECT_THAT(error([](DataJob& job) { job.rows = 3; }), HasSubstr("data.rows = 3"));
  EXPECT_THAT(error([](DataJob& job) { job.features = 0; }), HasSubstr("data.features = 0"));
  EXPECT_THAT(error([](DataJob& job) { job.classes = 1; }), HasSubstr("data.classes = 1"));
  EXPECT_THAT(error([](DataJob& job) { job.clients = 33; }), HasSubstr("only 32 feature columns"));
}

}  // namespace
}  // namespace fedvs::data
