#include "fedvs/baselines/gaussian_mechanism.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace fedvs::baselines {
namespace {

// The definition itself, by numerical integration: the probability that the privacy loss of
// N(0, s) against N(D, s) exceeds e, minus exp(e) times that under the other.
double integrated_delta(double sigma, double epsilon, double sensitivity) {
  const auto density = [&](double x, double mean) {
    return std::exp(-(x - mean) * (x - mean) / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * M_PI));
  };
  const double step = sigma / 2000, far = 12 * sigma + sensitivity;
  double sum = 0;
  for (double x = -far; x < far; x += step) {
    const double excess = density(x, sensitivity) - std::exp(epsilon) * density(x, 0);
    sum += std::max(0.0, excess) * step;
  }
  return sum;
}

TEST(AnalyticGaussian, DeltaIsThatOfTheDefinition) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const double sigma : {0.3, 1.0, 4.0}) {
      EXPECT_NEAR(delta_of_noise(sigma, epsilon, 1.0), integrated_delta(sigma, epsilon, 1.0), 1e-6)
          << epsilon << " " << sigma;
    }
  }
}

TEST(AnalyticGaussian, CalibrationMeetsDeltaAndNoSmallerNoiseDoes) {
  for (const double epsilon : {0.01, 0.5, 5.0, 30.0}) {
    const double sigma = least_noise(epsilon, 1e-5, 2.0);
    EXPECT_LE(delta_of_noise(sigma, epsilon, 2.0), 1e-5);
    EXPECT_GT(delta_of_noise(0.999 * sigma, epsilon, 2.0), 1e-5) << epsilon;
  }
}

TEST(AnalyticGaussian, NeedsLessNoiseThanTheClassicalBoundAtItsLargestEpsilon) {
  const double classical = std::sqrt(2 * std::log(1.25 / 1e-5));  // for epsilon = 1
  EXPECT_LT(least_noise(1, 1e-5, 1), classical);
  EXPECT_GT(least_noise(1, 1e-5, 1), classical / 2);
}

TEST(AnalyticGaussian, NoiseScalesWithTheSensitivity) {
  EXPECT_NEAR(least_noise(5, 1e-5, 6), 6 * least_noise(5, 1e-5, 1), 1e-6);
}

TEST(RowRelease, CutsLongRowsAndLeavesShortOnes) {
  const RowRelease release{.clip = 5, .sigma = 0};
  std::vector<float> rows = {6, 8, 3, 0};
  PublicRandom random(1);
  release.apply(rows, 2, random);
  EXPECT_THAT(rows, ::testing::ElementsAre(3, 4, 3, 0));
}

TEST(RowRelease, TheNoiseHasTheCalibratedSpread) {
  const auto release = RowRelease::calibrated(1, 5, 1e-5);
  EXPECT_DOUBLE_EQ(release.sigma, least_noise(5, 1e-5, 2));
  std::vector<float> rows(40000, 0.0f);
  PublicRandom random(7);
  release.apply(rows, 4, random);
  double square = 0;
  for (float x : rows) square += static_cast<double>(x) * x;
  const double spread = std::sqrt(square / 40000);
  EXPECT_NEAR(spread / release.sigma, 1, 4 / std::sqrt(2.0 * 40000));
}

TEST(RowRelease, TheGradientGoesBackThroughTheCut) {
  const RowRelease release{.clip = 5, .sigma = 0};
  const std::vector<float> row = {6, 9};
  const std::vector<float> by_released = {2, -1};
  std::vector<float> gradient = by_released;
  release.back(row, 2, gradient);
  for (std::size_t j = 0; j < 2; ++j) {
    const auto value = [&](float change) {  // of the linear loss with that gradient
      std::vector<float> moved = row;
      moved[j] += change;
      PublicRandom random(1);
      release.apply(moved, 2, random);
      return by_released[0] * moved[0] + by_released[1] * moved[1];
    };
    EXPECT_NEAR(gradient[j], (value(0.01f) - value(-0.01f)) / 0.02f, 1e-3);
  }
}

}  // namespace
}  // namespace fedvs::baselines
