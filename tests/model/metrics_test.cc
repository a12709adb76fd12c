#include "fedvs/model/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace fedvs::model {
namespace {

// Rows (1 - p, p) of a binary classifier.
std::vector<float> binary(const std::vector<float>& p) {
  std::vector<float> rows;
  for (float value : p) rows.insert(rows.end(), {1 - value, value});
  return rows;
}

TEST(Metrics, AgreeWithABinaryCaseWorkedByHand) {
  // Given four rows of class 0 and two of class 1; class 1 is answered for rows 2, 4.
  const std::vector<int> labels = {0, 0, 0, 0, 1, 1};
  const auto probabilities = binary({0.1f, 0.2f, 0.75f, 0.25f, 0.875f, 0.375f});
  // When they are evaluated
  const Metrics m = evaluate(probabilities, labels, 2);
  // Then hits are rows 0, 1, 3, 4, and class 1 has one hit, one miss and one false alarm.
  EXPECT_DOUBLE_EQ(m.accuracy, 4.0 / 6);
  EXPECT_DOUBLE_EQ(m.balanced_accuracy, (3.0 / 4 + 1.0 / 2) / 2);
  EXPECT_DOUBLE_EQ(m.f1, 2.0 * 1 / (2 * 1 + 1 + 1));
  EXPECT_DOUBLE_EQ(m.majority, 4.0 / 6);
  // 7 of the 8 pairs (one of each class) are in the right order: 0.75 > 0.375 is the wrong one.
  EXPECT_DOUBLE_EQ(m.auc.value(), 7.0 / 8);
  const double loss = -(std::log(0.9) + std::log(0.8) + std::log(0.25) + std::log(0.75) +
                        std::log(0.875) + std::log(0.375)) /
                      6;
  EXPECT_NEAR(m.loss, loss, 1e-7);
}

TEST(Metrics, CountTiedScoresAsHalfAPairInTheAuc) {
  // Pairs (class 1, class 0): 0.5-0.5 half, 0.5-0.25 right, 0.75-0.5 right, 0.75-0.25 right.
  const auto probabilities = binary({0.5f, 0.25f, 0.5f, 0.75f});
  EXPECT_DOUBLE_EQ(evaluate(probabilities, std::vector<int>{0, 0, 1, 1}, 2).auc.value(), 3.5 / 4);
  // All tied: no better than chance.
  EXPECT_DOUBLE_EQ(evaluate(binary({0.3f, 0.3f, 0.3f}), std::vector<int>{1, 0, 1}, 2).auc.value(),
                   0.5);
}

TEST(Metrics, HaveNoAucWhenAClassIsMissingOrAScoreIsNotANumber) {
  EXPECT_FALSE(evaluate(binary({0.3f, 0.6f}), std::vector<int>{1, 1}, 2).auc.has_value());
  EXPECT_FALSE(evaluate(binary({0.3f, 0.6f}), std::vector<int>{0, 0}, 2).auc.has_value());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Metrics diverged = evaluate(binary({nan, 0.6f}), std::vector<int>{0, 1}, 2);
  EXPECT_FALSE(diverged.auc.has_value());
  EXPECT_TRUE(std::isnan(diverged.loss));
}

TEST(Metrics, AverageF1AndRecallOverTheClassesThatOccur) {
  // Given four classes of which the last occurs nowhere: answers 0 0 1 2 for labels 0 1 1 2.
  const std::vector<float> probabilities = {0.7f, 0.1f, 0.1f, 0.1f,  //
                                            0.6f, 0.4f, 0.0f, 0.0f,  //
                                            0.2f, 0.8f, 0.0f, 0.0f,  //
                                            0.1f, 0.2f, 0.7f, 0.0f};
  const Metrics m = evaluate(probabilities, std::vector<int>{0, 1, 1, 2}, 4);
  EXPECT_DOUBLE_EQ(m.accuracy, 3.0 / 4);
  EXPECT_DOUBLE_EQ(m.balanced_accuracy, (1.0 + 0.5 + 1.0) / 3);
  EXPECT_DOUBLE_EQ(m.f1, (2.0 / 3 + 2.0 / 3 + 1.0) / 3);
  EXPECT_DOUBLE_EQ(m.majority, 2.0 / 4);
  EXPECT_FALSE(m.auc.has_value());
}

TEST(Metrics, StayFiniteForACertainAndWrongAnswer) {
  const Metrics m = evaluate(binary({1.0f}), std::vector<int>{0}, 2);
  EXPECT_TRUE(std::isfinite(m.loss));
  EXPECT_GT(m.loss, 50);
  EXPECT_EQ(m.accuracy, 0);
}

TEST(Metrics, OfNoRowsAreZero) {
  const Metrics m = evaluate({}, {}, 3);
  EXPECT_EQ(m.loss, 0);
  EXPECT_EQ(m.accuracy, 0);
  EXPECT_FALSE(m.auc.has_value());
}

}  // namespace
}  // namespace fedvs::model
