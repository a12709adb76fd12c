#include "fedvs/model/client_torch.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/relu.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <thread>

#include "fedvs/base/public_random.h"

namespace fedvs::model {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 8;
constexpr int kFeatures = 196;  // 7 rows of 28 pixels

Job job_for(const std::string& client, const std::string& optimizer = "adam") {
  Job job;
  job.data.name = "fashion-mnist";
  job.data.clients = 4;
  job.model.client = client;
  job.model.width = kWidth;
  job.train.client_optimizer = optimizer;
  job.train.lr_client = optimizer == "sgd" ? 0.1 : 0.01;
  return job;
}

std::unique_ptr<ClientNetwork> client_for(const Job& job, int layers, std::uint64_t seed = 1,
                                          int features = kFeatures) {
  return std::move(make_torch_client(job, features, layers, seed)).value();
}

std::vector<float> normals(std::size_t count, std::uint64_t key) {
  PublicRandom random(key);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.next_normal());
  return values;
}

data::Table table(std::size_t rows, std::uint64_t key, std::size_t cols = kFeatures) {
  return {rows, cols, normals(rows * cols, key)};
}

at::Tensor tensor(const std::vector<float>& values, std::vector<std::int64_t> shape) {
  return at::from_blob(const_cast<float*>(values.data()), shape).clone();
}

std::vector<float> weights_of(const ClientNetwork& client) {
  const std::string saved = client.save();
  ByteReader in(saved);
  return in.numbers<float>().value();
}

// The network from PyTorch's own layers, reading its weights one after the other.
class Reference {
 public:
  Reference(const std::vector<float>& floats, bool images, int layers)
      : weights(tensor(floats, {static_cast<std::int64_t>(floats.size())})),
        images_(images),
        layers_(layers) {
    weights.set_requires_grad(true);
  }
  at::Tensor operator()(at::Tensor x) {
    next_ = 0;
    for (int i = 0; images_ && i < layers_; ++i) {
      if (i == 0) x = x.view({-1, 1, 7, 28});
      const std::int64_t channels = 16 << i;
      const at::Tensor kernel = take({channels, x.size(1), 3, 3});
      x = at::relu(at::conv2d(x, kernel, take({channels}), 1, 1));
      x = at::max_pool2d(x, {2, 2}, {2, 2}, {0, 0}, {1, 1}, /*ceil_mode=*/true);
    }
    x = x.flatten(1);
    for (int i = 1; !images_ && i < layers_; ++i) x = at::relu(linear(x));
    x = linear(x);
    EXPECT_EQ(next_, weights.numel());
    return x;
  }
  at::Tensor weights;

 private:
  at::Tensor linear(const at::Tensor& x) {
    const at::Tensor weight = take({kWidth, x.size(1)});
    return at::linear(x, weight, take({kWidth}));
  }
  at::Tensor take(std::vector<std::int64_t> shape) {
    std::int64_t size = 1;
    for (const std::int64_t side : shape) size *= side;
    next_ += size;
    return weights.narrow(0, next_ - size, size).view(shape);
  }
  bool images_;
  int layers_;
  std::int64_t next_ = 0;
};

struct Kind {
  const char* client;
  int layers;
};

struct TorchClientOfKind : testing::TestWithParam<Kind> {
  bool images = GetParam().client == std::string("cnn");
  int layers = GetParam().layers;
  Job job = job_for(GetParam().client);

  // Every weight after some steps: equal only if training was.
  static std::vector<float> train(ClientNetwork& client, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t step = from; step < to; ++step) {
      client.learn(table(16, step), normals(16 * kWidth, 1000 + step));
    }
    return weights_of(client);
  }
};

TEST_P(TorchClientOfKind, EmbedsAsPyTorchsLayersDo) {
  auto client = client_for(job, layers);
  const data::Table rows = table(9, 1);
  const std::vector<float> embeddings = client->embed(rows);
  ASSERT_EQ(embeddings.size(), 9u * kWidth);
  Reference reference(weights_of(*client), images, layers);
  const at::Tensor expected = reference(tensor(rows.values, {9, kFeatures}));
  const at::Tensor actual = tensor(embeddings, {9, kWidth});
  EXPECT_LT((actual - expected).abs().max().item<double>(), 1e-5);
  EXPECT_GT(expected.abs().max().item<double>(), 0.05);
}

TEST_P(TorchClientOfKind, StepsAgainstTheGradientThatAutogradFinds) {
  auto client = client_for(job_for(GetParam().client, "sgd"), layers);
  const data::Table rows = table(9, 1);
  const std::vector<float> slope = normals(9 * kWidth, 2);
  // Given the step that autograd proposes for the same weights
  Reference reference(weights_of(*client), images, layers);
  const at::Tensor out = reference(tensor(rows.values, {9, kFeatures}));
  const at::Tensor gradient =
      torch::autograd::grad({out}, {reference.weights}, {tensor(slope, {9, kWidth})})[0];
  // When the client learns, then it takes that step.
  client->learn(rows, slope);
  const auto after = weights_of(*client);
  const at::Tensor step = tensor(after, {gradient.numel()}) - reference.weights;
  const double largest = gradient.abs().max().item<double>();
  EXPECT_LT((step + 0.1 * gradient).abs().max().item<double>(), 1e-5 * largest);
  EXPECT_GT(largest, 0.1);
}

TEST_P(TorchClientOfKind, LearnsToEmbedAsAnotherNetworkDoes) {
  auto client = client_for(job, layers), teacher = client_for(job, layers, 2);
  const auto learn = [&](std::uint64_t key) {
    const data::Table rows = table(64, key);
    std::vector<float> slope = client->embed(rows);
    const std::vector<float> target = teacher->embed(rows);
    double error = 0;
    for (std::size_t i = 0; i < slope.size(); ++i) {
      slope[i] -= target[i];
      error += slope[i] * slope[i];
      slope[i] /= 64;
    }
    client->learn(rows, slope);
    return error;
  };
  const double before = learn(0);
  for (std::uint64_t key = 1; key < 60; ++key) learn(key);
  EXPECT_LT(learn(60), 0.6 * before);
}

TEST_P(TorchClientOfKind, TrainsBitForBitAlikeOnAnyThread) {
  auto first = client_for(job, layers, 3);
  const auto expected = train(*first, 0, 5);
  at::rand({100});  // torch's own generator moves on
  auto second = client_for(job, layers, 3);
  std::vector<float> weights;
  std::thread([&] { weights = train(*second, 0, 5); }).join();
  EXPECT_EQ(weights, expected);
  auto third = client_for(job, layers, 4);
  EXPECT_NE(train(*third, 0, 5), expected) << "another seed is another network";
}

TEST_P(TorchClientOfKind, ContinuesBitForBitAfterSaveAndLoad) {
  auto first = client_for(job, layers, 1);
  train(*first, 0, 5);
  first->scale_rate(0.7);
  auto second = client_for(job, layers, 2);
  train(*second, 50, 52);
  ASSERT_TRUE(second->load(first->save()));
  EXPECT_EQ(second->save(), first->save());
  EXPECT_EQ(train(*second, 5, 10), train(*first, 5, 10));
  EXPECT_EQ(second->save(), first->save());
}

TEST_P(TorchClientOfKind, RefusesCheckpointsOfOtherNetworksAndStaysAsItWas) {
  auto client = client_for(job, layers);
  const std::string saved = client->save();
  const auto expect_refused = [&](const std::string& bytes) {
    const Status status = client->load(bytes);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
    EXPECT_EQ(client->save(), saved);
  };
  expect_refused("");
  expect_refused(saved.substr(0, saved.size() - 1));
  expect_refused(saved + "x");
  expect_refused(client_for(job, layers % 3 + 1)->save());
  expect_refused(client_for(job_for(GetParam().client, "momentum"), layers)->save());
}

TEST_P(TorchClientOfKind, EmbedsNoRowsAsNothing) {
  EXPECT_TRUE(client_for(job, layers)->embed(table(0, 1)).empty());
}

INSTANTIATE_TEST_SUITE_P(Kinds, TorchClientOfKind,
                         testing::Values(Kind{"mlp", 1}, Kind{"mlp", 2}, Kind{"mlp", 3},
                                         Kind{"cnn", 1}, Kind{"cnn", 2}, Kind{"cnn", 3}),
                         [](const auto& tested) {
                           return tested.param.client + std::to_string(tested.param.layers);
                         });

TEST(TorchClient, CountsTheMultiplyAddsOfItsLayers) {
  EXPECT_EQ(client_for(job_for("mlp"), 1)->macs_per_row(), 196 * 8);
  EXPECT_EQ(client_for(job_for("mlp"), 3)->macs_per_row(), 196 * 8 + 8 * 8 + 8 * 8);
  // 7 x 28 pixels, then 4 x 14, then 2 x 7
  const double first = 16 * 19 * 82;
  EXPECT_EQ(client_for(job_for("cnn"), 1)->macs_per_row(), first + 16 * 4 * 14 * 8);
  EXPECT_EQ(client_for(job_for("cnn"), 2)->macs_per_row(),
            first + 16 * 32 * 10 * 40 + 32 * 2 * 7 * 8);
}

TEST(TorchClient, StartsFromWeightsWithinPyTorchsBounds) {
  const std::vector<float> weights = weights_of(*client_for(job_for("mlp"), 1));
  ASSERT_EQ(weights.size(), 197u * kWidth);
  double largest = 0, squares = 0;
  for (const float w : weights) {
    largest = std::max(largest, std::abs(double{w}));
    squares += double{w} * w;
  }
  const double bound = 1 / std::sqrt(196.0);
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.99 * bound);
  EXPECT_NEAR(squares / static_cast<double>(weights.size()), bound * bound / 3, 1e-4);
}

TEST(TorchClient, ConvolvesAsFewImageRowsAsOne) {
  for (const int features : {28, 56, 112, 196, 392, 784}) {
    auto client = client_for(job_for("cnn"), 3, 1, features);
    const auto rows = table(4, 1, static_cast<std::size_t>(features));
    EXPECT_EQ(client->embed(rows).size(), 4u * kWidth);
    client->learn(rows, normals(4 * kWidth, 2));
  }
}

TEST(TorchClient, RefusesJobsThatCannotWorkAndSaysWhatWould) {
  const auto expect = [](const Job& job, int features, int layers, const char* what) {
    const auto made = make_torch_client(job, features, layers, 1);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kBadJob);
    EXPECT_THAT(made.error().message, HasSubstr(what));
  };
  expect(job_for("cnn"), 49, 2, "holds 49 of them; set data.clients to 1, 2, 4, 7, 14 or 28");
  expect(job_for("mlp"), 196, 4, "4 layers of model.client = 'mlp'; use 1 to 3");
  expect(job_for("cnn"), 196, 0, "0 layers");
  expect(job_for("rnn"), 196, 1, "'rnn' is unknown; use pn, mlp or cnn");
  expect(job_for("mlp", "lbfgs"), 196, 1, "'lbfgs' is unknown");
  Job tabular = job_for("cnn");
  tabular.data.name = "parkinson";
  expect(tabular, 28, 1, "data.name = 'parkinson' has none; use model.client = 'mlp' or 'pn'");
}

}  // namespace
}  // namespace fedvs::model
