// Our own backward pass against libtorch's autograd, losses and optimisers.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <cmath>
#include <limits>

#include "fedvs/base/digest.h"
#include "fedvs/model/batch_loss.h"
#include "fedvs/model/central.h"
#include "tests/model/torch_optimizer.h"
#include "tests/support/float_tables.h"

namespace fedvs::model {
namespace {

using fedvs::testing::normals;

constexpr std::uint64_t kSteps = 20;

at::Tensor matrix_of(const std::vector<float>& values, std::int64_t cols) {
  return at::tensor(values).view({-1, cols});
}

at::Tensor labels_of(const std::vector<int>& labels) { return at::tensor(labels).to(at::kLong); }

double distance(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

std::vector<int> some_labels(std::size_t rows, int classes, std::uint64_t key) {
  PublicRandom random(key);
  std::vector<int> labels(rows);
  for (int& y : labels) y = static_cast<int>(random.below(static_cast<std::uint64_t>(classes)));
  return labels;
}

struct Shape {
  std::size_t rows;
  int width;
  std::vector<int> hidden;
  int classes;
  bool binary;
};

struct Setting {
  Shape shape;
  OptimizerSettings optimizer;
};

Job job_of(const Setting& setting) {
  Job job;
  job.model.central = setting.shape.binary ? "mlp-binary" : "mlp";
  job.model.width = setting.shape.width;
  job.model.hidden = setting.shape.hidden;
  job.train.optimizer = setting.optimizer.kind;
  job.train.lr = setting.optimizer.rate;
  job.train.momentum = setting.optimizer.momentum;
  job.train.weight_decay = setting.optimizer.weight_decay;
  return job;
}

// The six parameters as a checkpoint has them.
std::vector<at::Tensor> parameters_of(const CentralModel& model) {
  const std::string saved = model.save();
  const auto size = static_cast<std::ptrdiff_t>(saved.size() - sizeof(Digest));
  const auto archive = torch::jit::pickle_load({saved.begin(), saved.begin() + size});
  std::vector<at::Tensor> parameters;
  for (const char* name : {"linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias",
                           "linear3.weight", "linear3.bias"}) {
    const std::string key = std::string("module.") + name;
    parameters.push_back(archive.toGenericDict().at(key).toTensor().clone());
  }
  return parameters;
}

at::Tensor oracle_loss(const std::vector<at::Tensor>& p, const at::Tensor& x, const at::Tensor& y,
                       bool binary) {
  const at::Tensor hidden = at::linear(x, p[0], p[1]).relu();
  const at::Tensor out = at::linear(at::linear(hidden, p[2], p[3]).relu(), p[4], p[5]);
  if (!binary) return at::cross_entropy_loss(out, y);
  return at::binary_cross_entropy_with_logits(out.squeeze(1), y.to(at::kFloat));
}

class CentralModelAgainstAutograd : public ::testing::TestWithParam<Setting> {};

TEST_P(CentralModelAgainstAutograd, HasItsLossesItsGradientsAndItsWeights) {
  // Given the same initial weights for ours and for autograd with libtorch's optimiser
  const auto& [shape, settings] = GetParam();
  const auto model = std::move(make_central(job_of(GetParam()), shape.classes, 5)).value();
  std::vector<at::Tensor> weights = parameters_of(*model);
  for (at::Tensor& w : weights) w.set_requires_grad(true);
  TorchOptimizer optimizer(settings, weights);
  const auto columns = static_cast<std::size_t>(shape.width);
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    // When both learn from the same batches, of which every third is smaller
    const std::size_t rows = step % 3 == 2 ? (shape.rows + 1) / 2 : shape.rows;
    const auto embeddings = normals(rows * columns, 10 + step);
    const auto labels = some_labels(rows, shape.classes, 900 + step);
    const at::Tensor x = matrix_of(embeddings, shape.width).set_requires_grad(true);
    const at::Tensor loss = oracle_loss(weights, x, labels_of(labels), shape.binary);
    for (at::Tensor& w : weights) w.mutable_grad() = at::Tensor();
    loss.backward();
    const auto learned = model->learn(embeddings, labels);
    optimizer.step();
    // Then losses and gradients by the embeddings agree all the way,
    ASSERT_NEAR(learned.loss, loss.item<double>(), 1e-5 * (1 + loss.item<double>()));
    const double largest = x.grad().abs().max().item<double>();
    ASSERT_LT(distance(matrix_of(learned.gradient, shape.width), x.grad()), 1e-4 * largest + 1e-8);
  }
  // and so do the weights at the end.
  const std::vector<at::Tensor> ours = parameters_of(*model);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LT(distance(ours[i], weights[i].detach()), 2e-5) << "parameter " << i;
  }
}

const Shape kLarge{258, 64, {256, 128}, 10, false}, kManyClasses{65, 16, {33, 20}, 47, false},
    kTiny{1, 1, {1, 1}, 2, false}, kBinary{100, 12, {16, 9}, 2, true};

INSTANTIATE_TEST_SUITE_P(Settings, CentralModelAgainstAutograd,
                         ::testing::Values(Setting{kLarge, {"sgd", 0.1, 0, 0}},
                                           Setting{kLarge, {"adam", 1e-3, 0, 0.01}},
                                           Setting{kManyClasses, {"momentum", 0.02, 0.9, 0.1}},
                                           Setting{kManyClasses, {"adam", 1e-3, 0, 0}},
                                           Setting{kTiny, {"sgd", 0.1, 0, 0.2}},
                                           Setting{kBinary, {"sgd", 0.3, 0, 0}},
                                           Setting{kBinary, {"momentum", 0.05, 0.8, 0.1}},
                                           Setting{kBinary, {"adam", 2e-3, 0, 0.05}}));

// Both losses at the logits where a formula overflows that was written down carelessly.
TEST(BatchLoss, AgreesWithAutogradFromTinyToHugeLogits) {
  for (const double spread : {1e-3, 1.0, 30.0, 1e4}) {
    for (const std::int64_t classes : {1, 2, 10, 47}) {
      constexpr std::size_t kRows = 40;
      auto logits = normals(kRows * static_cast<std::size_t>(classes), 3, spread);
      const auto labels = some_labels(kRows, classes == 1 ? 2 : static_cast<int>(classes), 4);
      const at::Tensor z = matrix_of(logits, classes).set_requires_grad(true),
                       y = labels_of(labels);
      const at::Tensor loss =
          classes == 1 ? at::binary_cross_entropy_with_logits(z.squeeze(1), y.to(at::kFloat))
                       : at::cross_entropy_loss(z, y);
      loss.backward();
      const double ours =
          classes == 1 ? logistic_loss(logits, labels) : softmax_loss(logits, labels);
      EXPECT_NEAR(ours, loss.item<double>(), 1e-6 * (1 + loss.item<double>()));
      EXPECT_LT(distance(matrix_of(logits, classes), z.grad()), 1e-8) << spread << " " << classes;
    }
  }
}

TEST(BatchLoss, IsNotFiniteWhereALogitIsNot) {
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> logits = {0.5f, bad, 1.0f, 2.0f};
    EXPECT_FALSE(std::isfinite(softmax_loss(logits, std::vector{0, 1})));
    logits = {0.5f, bad};
    EXPECT_FALSE(std::isfinite(logistic_loss(logits, std::vector{0, 0})));
  }
}

}  // namespace
}  // namespace fedvs::model
