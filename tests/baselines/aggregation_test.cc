#include "fedvs/baselines/aggregation.h"

#include <gmock/gmock.h>

namespace fedvs::baselines {
namespace {

using ::testing::ElementsAre;

// Two rows of width 2; the third client is absent.
const Embeddings kEmbeddings = {{1, 2, 3, 4}, {5, 0, 3, -4}, {}};
const std::vector<float> kGradient = {10, 20, 30, 40};

TEST(Average, IsOverThePresentClients) {
  const auto combined = combine(Aggregation::kAverage, kEmbeddings, 2);
  EXPECT_EQ(combined.width, 2u);
  EXPECT_THAT(combined.values, ElementsAre(3, 1, 3, 0));
}

TEST(Average, GivesEveryPresentClientItsShareOfTheGradient) {
  EXPECT_THAT(gradient_of(Aggregation::kAverage, kEmbeddings, 2, 1, kGradient),
              ElementsAre(5, 10, 15, 20));
}

TEST(Concatenation, LeavesZerosForTheAbsent) {
  const auto combined = combine(Aggregation::kConcat, kEmbeddings, 2);
  EXPECT_EQ(combined.width, 6u);
  EXPECT_THAT(combined.values, ElementsAre(1, 2, 5, 0, 0, 0, 3, 4, 3, -4, 0, 0));
}

TEST(Concatenation, GivesEveryClientItsOwnColumnsOfTheGradient) {
  const std::vector<float> gradient = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_THAT(gradient_of(Aggregation::kConcat, kEmbeddings, 2, 0, gradient),
              ElementsAre(1, 2, 7, 8));
  EXPECT_THAT(gradient_of(Aggregation::kConcat, kEmbeddings, 2, 1, gradient),
              ElementsAre(3, 4, 9, 10));
}

TEST(Maximum, TakesTheLargestOfThePresent) {
  EXPECT_THAT(combine(Aggregation::kMax, kEmbeddings, 2).values, ElementsAre(5, 2, 3, 4));
}

TEST(Maximum, TeachesOnlyTheFirstOfTheLargest) {
  EXPECT_THAT(gradient_of(Aggregation::kMax, kEmbeddings, 2, 0, kGradient),
              ElementsAre(0, 20, 30, 40));
  EXPECT_THAT(gradient_of(Aggregation::kMax, kEmbeddings, 2, 1, kGradient),
              ElementsAre(10, 0, 0, 0));
}

}  // namespace
}  // namespace fedvs::baselines
