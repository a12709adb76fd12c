#include "fedvs/model/polynomial_network.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <numeric>

#include "fedvs/base/public_random.h"
#include "fedvs/model/gradient_batch.h"

namespace fedvs::model {
namespace {

using testing::ElementsAre;

std::vector<float> normals(std::size_t count, std::uint64_t key) {
  PublicRandom random(key);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(random.next_normal());
  return values;
}

at::Tensor matrix(const std::vector<float>& values, std::size_t columns) {
  return at::tensor(values).view({-1, static_cast<std::int64_t>(columns)});
}

TEST(PolynomialNetwork, RaisesFeaturesToPowersAndAppendsOneOne) {
  const data::Table x{2, 2, {2, -3, 0.5f, 1}};
  const data::Table cubes = raise_to_powers(x, 3);
  EXPECT_EQ(cubes.rows, 2u);
  EXPECT_EQ(cubes.cols, 7u);
  EXPECT_THAT(cubes.values, ElementsAre(2, -3, 4, 9, 8, -27, 1, 0.5f, 1, 0.25f, 1, 0.125f, 1, 1));
  EXPECT_THAT(raise_to_powers(x, 1).values, ElementsAre(2, -3, 1, 0.5f, 1, 1));
}

TEST(PolynomialNetwork, DrawsInitialWeightsUniformlyWithinTheBoundOfOnePower) {
  Prng random(Key256{7});
  const auto network = PolynomialNetwork::initial(16, 3, 50, 2.0, random);
  EXPECT_EQ(network.width, 50u);
  EXPECT_EQ(network.inputs, 49u);
  ASSERT_EQ(network.weights.size(), 50u * 49u);
  // Uniform on +-0.5: mean 0, variance 1/12, and both ends are nearly reached.
  const at::Tensor w = at::tensor(network.weights);
  EXPECT_LE(w.abs().max().item<double>(), 0.5);
  EXPECT_GT(w.max().item<double>(), 0.49);
  EXPECT_LT(w.min().item<double>(), -0.49);
  EXPECT_NEAR(w.mean().item<double>(), 0, 0.03);
  EXPECT_NEAR(w.var().item<double>(), 1.0 / 12, 0.01);
  Prng again(Key256{7});
  EXPECT_EQ(PolynomialNetwork::initial(16, 3, 50, 2.0, again).weights, network.weights);
}

TEST(PolynomialNetwork, NoticesAWeightBeyondALimitWhereverItIs) {
  EXPECT_TRUE(all_below(5.5f, {}));
  for (std::size_t at = 0; at < 37; ++at) {
    std::vector<float> weights(37, -0.25f);
    for (const float within : {5.25f, -5.25f, 0.0f, -0.0f}) {
      weights[at] = within;
      EXPECT_TRUE(all_below(5.5f, weights));
    }
    for (const float beyond : {5.5f, -5.5f, 1e38f, INFINITY, -INFINITY, NAN, -NAN}) {
      weights[at] = beyond;
      EXPECT_FALSE(all_below(5.5f, weights));
    }
  }
}

TEST(WeightGradient, AgreesWithAutogradOfThePolynomialNetwork) {
  // Given h = x W^T on rounded rows x, and a loss whose gradient by h is scale * g
  constexpr std::size_t kSamples = 40, kFeatures = 12, kWidth = 6;
  constexpr float kScale = 0.125f;
  const FixedRows fixed({kSamples, kFeatures, normals(kSamples * kFeatures, 1)}, 1, 10);
  std::vector<std::int32_t> integers(kSamples * fixed.cols());
  fixed.integers(0, kSamples, integers);
  const at::Tensor x =
      matrix({integers.begin(), integers.end()}, fixed.cols()) * double{fixed.unit()};
  const std::vector<float> g = normals(kSamples * kWidth, 2);
  const at::Tensor w = at::randn({kWidth, kFeatures + 1}).set_requires_grad(true);
  const at::Tensor loss = (x.mm(w.t()) * matrix(g, kWidth) * double{kScale}).sum();
  // When autograd differentiates it by W, then ours is the same up to rounding.
  std::vector<std::size_t> all(kSamples);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<float> ours(kWidth * fixed.cols());
  weight_gradient(fixed, GradientBatch(all, g, kWidth, kScale), ours);
  const at::Tensor expected = torch::autograd::grad({loss}, {w})[0];
  EXPECT_TRUE(at::allclose(matrix(ours, fixed.cols()), expected, 1e-4, 1e-5));
}

}  // namespace
}  // namespace fedvs::model
