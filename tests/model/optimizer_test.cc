#include "fedvs/model/optimizer.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/base/public_random.h"
#include "tests/model/torch_optimizer.h"

namespace fedvs::model {
namespace {

constexpr std::size_t kWeights = 1003;  // no multiple of a vector
constexpr int kSteps = 200;

std::vector<float> normals(std::uint64_t key, double spread) {
  PublicRandom random(key);
  std::vector<float> values(kWeights);
  for (float& v : values) v = static_cast<float>(spread * random.next_normal());
  return values;
}

at::Tensor tensor_of(const std::vector<float>& values) { return at::tensor(values); }

struct OptimizerAgainstTorch : testing::TestWithParam<OptimizerSettings> {};

TEST_P(OptimizerAgainstTorch, TakesTheSameSteps) {
  // Given the same weights for ours and for libtorch's optimiser
  const OptimizerSettings settings = GetParam();
  auto ours = Optimizer::create(settings, kWeights).value();
  std::vector<float> weights = normals(1, 1.0);
  at::Tensor theirs = tensor_of(weights).set_requires_grad(true);
  TorchOptimizer torch_optimizer(settings, {theirs});
  for (int step = 0; step < kSteps; ++step) {
    // When both follow the same gradients, small and large in turn
    const auto gradient = normals(100 + static_cast<std::uint64_t>(step), step % 2 ? 1e-4 : 1.0);
    ours.step(weights, gradient);
    theirs.mutable_grad() = tensor_of(gradient);
    torch_optimizer.step();
  }
  // Then the weights agree.
  const double difference = (tensor_of(weights) - theirs.detach()).abs().max().item<double>();
  EXPECT_LT(difference, 1e-6 * (1 + theirs.detach().abs().max().item<double>()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, OptimizerAgainstTorch,
                         testing::Values(OptimizerSettings{"sgd", 0.01, 0.9, 0},
                                         OptimizerSettings{"sgd", 0.01, 0.9, 0.1},
                                         OptimizerSettings{"momentum", 0.01, 0.9, 0},
                                         OptimizerSettings{"momentum", 0.01, 0.5, 0.1},
                                         OptimizerSettings{"adam", 0.001, 0.9, 0},
                                         OptimizerSettings{"adam", 0.01, 0.9, 0.1}),
                         [](const auto& tested) {
                           return tested.param.kind +
                                  (tested.param.weight_decay > 0 ? "WithDecay" : "");
                         });

TEST(Optimizer, ContinuesBitForBitFromARestoredState) {
  for (const char* kind : {"sgd", "momentum", "adam"}) {
    // Given an optimiser after 20 steps whose rate was lowered
    auto first = Optimizer::create({.kind = kind}, kWeights).value();
    std::vector<float> weights = normals(1, 1.0);
    for (std::uint64_t step = 0; step < 20; ++step) first.step(weights, normals(step, 1.0));
    first.scale_rate(0.5);
    // When another one takes over its state
    auto second = Optimizer::create({.kind = kind}, kWeights).value();
    ASSERT_TRUE(second.restore(first.state()));
    // Then both go on alike.
    std::vector<float> copy = weights;
    for (std::uint64_t step = 20; step < 40; ++step) {
      first.step(weights, normals(step, 1.0));
      second.step(copy, normals(step, 1.0));
    }
    EXPECT_EQ(weights, copy) << kind;
    EXPECT_EQ(second.state().steps, 40);
    EXPECT_DOUBLE_EQ(second.state().rate, 0.005);
  }
}

TEST(Optimizer, RefusesAStateOfAnotherSizeOrKind) {
  auto adam = Optimizer::create({.kind = "adam"}, 10).value();
  const auto momentum = Optimizer::create({.kind = "momentum"}, 10).value();
  const auto larger = Optimizer::create({.kind = "adam"}, 11).value();
  for (const auto& state : {momentum.state(), larger.state()}) {
    const Status status = adam.restore(state);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  }
  auto negative = adam.state();
  negative.steps = -1;
  EXPECT_FALSE(adam.restore(negative));
}

TEST(Optimizer, RefusesSettingsThatCannotBeUsedAndSaysWhich) {
  const auto message = [](OptimizerSettings settings) {
    const auto result = Optimizer::create(std::move(settings), 3);
    return result ? std::string("accepted") : result.error().message;
  };
  EXPECT_THAT(message({.kind = "rmsprop"}), testing::HasSubstr("use sgd, momentum or adam"));
  EXPECT_THAT(message({.rate = -1}), testing::HasSubstr("rate of -1"));
  EXPECT_THAT(message({.rate = std::nan("")}), testing::HasSubstr("rate of nan"));
  EXPECT_THAT(message({.momentum = 1}), testing::HasSubstr("momentum of 1"));
  EXPECT_THAT(message({.weight_decay = -0.5}), testing::HasSubstr("weight decay of -0.5"));
  EXPECT_THAT(message({.rate = 0}), "accepted");
}

}  // namespace
}  // namespace fedvs::model
