#include "fedvs/model/polynomial_network.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "fedvs/base/public_random.h"
#include "fedvs/base/thread_pool.h"

namespace fedvs::model {
namespace {

using testing::ElementsAre;

std::vector<float> normals(std::size_t count, std::uint64_t key) {
  PublicRandom random(key);
  std::vector<float> values(count);
  for (float& v : values) v = static_cast<float>(random.next_normal());
  return values;
}

struct Problem {
  std::size_t samples, inputs, width;
  float scale = 0.125f;
  data::Table x{2 * samples, inputs, normals(2 * samples * inputs, 1)};
  std::vector<float> g = normals(samples * width, 2);
  std::vector<std::size_t> rows = some_rows();

  std::vector<std::size_t> some_rows() const {
    PublicRandom random(3);
    std::vector<std::size_t> all = permutation(2 * samples, random);
    all.resize(samples);
    return all;
  }
  std::vector<float> gradient() const {
    std::vector<float> noise(width * inputs, NAN);  // must be overwritten, not added to
    weight_gradient(x, rows, g, width, scale, noise);
    return noise;
  }
  // One loop per output, samples in order.
  std::vector<float> gradient_by_definition() const {
    std::vector<float> sums(width * inputs);
    for (std::size_t j = 0; j < width; ++j) {
      for (std::size_t p = 0; p < inputs; ++p) {
        float sum = 0;
        for (std::size_t i = 0; i < samples; ++i) {
          if (rows[i] != kPadding) sum += scale * g[i * width + j] * x.row(rows[i])[p];
        }
        sums[j * inputs + p] = sum;
      }
    }
    return sums;
  }
};

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

TEST(WeightGradient, AgreesWithAutogradOfThePolynomialNetwork) {
  // Given h = x W^T and a loss whose gradient by h is scale * g
  const Problem problem{.samples = 40, .inputs = 13, .width = 6};
  std::vector<std::int64_t> rows(problem.rows.begin(), problem.rows.end());
  const at::Tensor x = matrix(problem.x.values, problem.inputs).index_select(0, at::tensor(rows));
  const at::Tensor w = at::randn({6, 13}).set_requires_grad(true);
  const at::Tensor loss = (x.mm(w.t()) * matrix(problem.g, problem.width) * problem.scale).sum();
  // When autograd differentiates it by W, then ours is the same up to rounding.
  const at::Tensor expected = torch::autograd::grad({loss}, {w})[0];
  EXPECT_TRUE(at::allclose(matrix(problem.gradient(), problem.inputs), expected, 1e-4, 1e-5));
}

TEST(WeightGradient, SumsSamplesInOrderToTheLastBitForAnyShapeAndThreads) {
  for (const Problem& problem :
       {Problem{1, 1, 1}, Problem{3, 8, 4}, Problem{65, 9, 5}, Problem{256, 29, 64},
        Problem{100, 1569, 7}, Problem{33, 15, 66}}) {
    const auto expected = problem.gradient_by_definition();
    for (int threads : {1, 2, 5}) {
      ThreadPool::set_default_threads(threads);
      EXPECT_EQ(problem.gradient(), expected)
          << threads << " threads, " << problem.samples << " samples, " << problem.inputs
          << " inputs, width " << problem.width;
    }
  }
}

TEST(WeightGradient, SkipsPaddingRowsWhateverTheirGradient) {
  Problem problem{.samples = 20, .inputs = 10, .width = 3};
  // Given padding at both ends and inside, with gradients that would spoil any sum
  for (std::size_t i : {0u, 7u, 8u, 19u}) {
    problem.rows[i] = kPadding;
    for (std::size_t j = 0; j < 3; ++j) problem.g[i * 3 + j] = NAN;
  }
  EXPECT_EQ(problem.gradient(), problem.gradient_by_definition());
}

TEST(WeightGradient, OfABatchOfPaddingAloneIsZero) {
  Problem problem{.samples = 4, .inputs = 5, .width = 2};
  problem.rows.assign(4, kPadding);
  EXPECT_EQ(problem.gradient(), std::vector<float>(10, 0.0f));
}

}  // namespace
}  // namespace fedvs::model
