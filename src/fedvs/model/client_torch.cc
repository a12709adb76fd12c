#include "fedvs/model/client_torch.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/relu.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "fedvs/base/check.h"
#include "fedvs/model/client_layers.h"
#include "fedvs/model/torch_images.h"
#include "fedvs/model/torch_runtime.h"

namespace fedvs::model {
namespace {

std::span<float> floats(const at::Tensor& contiguous) {
  return {contiguous.data_ptr<float>(), static_cast<std::size_t>(contiguous.numel())};
}

at::Tensor to_matrix(std::span<const float> values, std::int64_t cols) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  std::ranges::copy(values, floats(tensor).begin());
  return tensor.view({-1, cols});
}

class TorchClient final : public ClientNetwork {
 public:
  TorchClient(std::vector<ClientLayer> layers, std::int64_t features, at::Tensor weights,
              Optimizer optimizer)
      : layers_(std::move(layers)),
        sizes_(sizes_of(layers_)),
        features_(features),
        weights_(std::move(weights)),
        optimizer_(std::move(optimizer)) {
    weights_.set_requires_grad(true);
  }

  std::vector<float> embed(const data::Table& features) override {
    if (features.rows == 0) return {};  // which libtorch does not convolve
    return without_exceptions([&] {
      const c10::NoGradGuard no_grad;
      const at::Tensor out = forward(features);
      return std::vector<float>(floats(out).begin(), floats(out).end());
    });
  }

  void learn(const data::Table& features, std::span<const float> gradient) override {
    FEDVS_CHECK(features.rows > 0, "no rows to learn from");
    without_exceptions([&] {
      const at::Tensor out = forward(features);
      FEDVS_CHECK(gradient.size() == floats(out).size(), "not one gradient per embedding");
      const at::Tensor by_weights =
          torch::autograd::grad({out}, {weights_}, {to_matrix(gradient, out.size(1))})[0];
      optimizer_.step(floats(weights_), floats(by_weights));
    });
  }

  void scale_rate(double factor) override { optimizer_.scale_rate(factor); }

  double macs_per_row() const override {
    double macs = 0;
    for (const ClientLayer& layer : layers_) macs += layer.macs;
    return macs;
  }

  std::string save() const override {
    ByteWriter out;
    out.numbers(std::span<const float>(floats(weights_)));
    optimizer_.state().write(out);
    return out.take();
  }

  Status load(const std::string& bytes) override {
    ByteReader in(bytes);
    FEDVS_TRY(const auto weights, in.numbers<float>());
    FEDVS_TRY(const auto state, Optimizer::State::read(in));
    FEDVS_TRY_STATUS(in.finish());
    if (weights.size() != floats(weights_).size()) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("the checkpoint's client network has {} weights, this one {}; "
                               "resume with the job that the run was started with",
                               weights.size(), floats(weights_).size())};
    }
    FEDVS_TRY_STATUS(optimizer_.restore(state));
    std::ranges::copy(weights, floats(weights_).begin());
    return {};
  }

 private:
  // rows x width.
  at::Tensor forward(const data::Table& features) const {
    FEDVS_CHECK(static_cast<std::int64_t>(features.cols) == features_,
                "features of another client");
    const std::vector<at::Tensor> parts = weights_.split_with_sizes(sizes_);
    at::Tensor x = to_matrix(features.values, features_);
    if (layers_[0].convolution) x = as_images(x, features_ / kImageWidth, kImageWidth);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const at::Tensor weight = parts[2 * i].view(layers_[i].weight_shape());
      const at::Tensor& bias = parts[2 * i + 1];
      if (layers_[i].convolution) {
        x = pool(at::relu(convolve(x, weight, bias)));
      } else {
        x = at::addmm(bias, x.flatten(1), weight.t());
        if (i + 1 < layers_.size()) x = at::relu(x);
      }
    }
    return x;
  }

  std::vector<ClientLayer> layers_;
  std::vector<std::int64_t> sizes_;  // of every weight and bias, in the order of weights_
  std::int64_t features_;
  at::Tensor weights_;  // all of them, in one block for the optimiser
  Optimizer optimizer_;
};

}  // namespace

Result<std::unique_ptr<ClientNetwork>> make_torch_client(const Job& job, int features, int layers,
                                                         std::uint64_t seed) {
  FEDVS_TRY(std::vector<ClientLayer> plan, client_layers(job, features, layers));
  return without_exceptions([&]() -> Result<std::unique_ptr<ClientNetwork>> {
    at::Tensor weights = initial_weights(plan, seed);
    FEDVS_TRY(auto optimizer, Optimizer::create(client_optimizer(job), floats(weights).size()));
    return std::unique_ptr<ClientNetwork>(
        new TorchClient(std::move(plan), features, std::move(weights), std::move(optimizer)));
  });
}

}  // namespace fedvs::model
