#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/_weight_norm.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log.h>
#include <ATen/ops/log1p.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "fedvs/model/central_backprop.h"
#include "fedvs/model/central_network.h"

namespace fedvs::model {

at::Tensor binary_from_logit(const at::Tensor& logit) {
  return at::cat({at::log_sigmoid(-logit), at::log_sigmoid(logit)}, 1);
}

at::Tensor binary_from_probability(const at::Tensor& probability) {
  const at::Tensor p = probability.clamp(1e-7, 1 - 1e-7);  // log(0) has no gradient
  return at::cat({at::log1p(-p), at::log(p)}, 1);
}

namespace {

struct BatchNorm {
  at::Tensor weight, bias, mean, variance;
  at::Tensor operator()(const at::Tensor& x, bool training) const {
    constexpr double kMomentum = 0.1, kEpsilon = 1e-5;  // PyTorch's defaults
    return at::batch_norm(x, weight, bias, mean, variance, training, kMomentum, kEpsilon,
                          /*cudnn_enabled=*/false);
  }
};

// PyTorch's initial weights: uniform on +-1/sqrt(inputs), the bias too.
class Initial {
 public:
  explicit Initial(std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}
  Linear linear(std::int64_t inputs, std::int64_t outputs) {
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    return {uniform({outputs, inputs}, bound), uniform({outputs}, bound)};
  }
  static BatchNorm batch_norm(std::int64_t size) {
    return {at::ones({size}), at::zeros({size}), at::zeros({size}), at::ones({size})};
  }

 private:
  at::Tensor uniform(at::IntArrayRef shape, double bound) {
    return at::empty(shape).uniform_(-bound, bound, generator_);
  }
  at::Generator generator_;
};

struct Sizes {
  std::int64_t width, hidden1, hidden2, outputs;
  double macs() const {
    return static_cast<double>(width * hidden1 + hidden1 * hidden2 + hidden2 * outputs);
  }
};

class Mlp final : public Network {
 public:
  Mlp(const Sizes& sizes, bool binary, std::uint64_t seed) : macs_(sizes.macs()), binary_(binary) {
    Initial initial(seed);
    layers_[0] = initial.linear(sizes.width, sizes.hidden1);
    layers_[1] = initial.linear(sizes.hidden1, sizes.hidden2);
    layers_[2] = initial.linear(sizes.hidden2, sizes.outputs);
  }
  at::Tensor log_probabilities(const at::Tensor& x, bool) override {
    const at::Tensor out = layers_[2](at::relu(layers_[1](at::relu(layers_[0](x)))));
    return binary_ ? binary_from_logit(out) : at::log_softmax(out, 1);
  }
  Slope differentiate(const at::Tensor& x, std::span<const int> labels,
                      std::span<const at::Tensor> by_parameters) override {
    return backpropagation_.run(layers_, x, labels, by_parameters);
  }
  std::vector<NamedTensor> parameters() override {
    return {{"linear1.weight", layers_[0].weight}, {"linear1.bias", layers_[0].bias},
            {"linear2.weight", layers_[1].weight}, {"linear2.bias", layers_[1].bias},
            {"linear3.weight", layers_[2].weight}, {"linear3.bias", layers_[2].bias}};
  }
  std::vector<NamedTensor> buffers() override { return {}; }
  double macs_per_row() const override { return macs_; }

 private:
  Linear layers_[3];
  Backpropagation backpropagation_;
  double macs_;
  bool binary_;
};

class Credit final : public Network {
 public:
  Credit(const Sizes& sizes, std::uint64_t seed) : macs_(sizes.macs()) {
    Initial initial(seed);
    linear1_ = initial.linear(sizes.width, sizes.hidden1);
    linear2_ = initial.linear(sizes.hidden1, sizes.hidden2);
    linear3_ = initial.linear(sizes.hidden2, 1);
    norm1_ = Initial::batch_norm(sizes.hidden1);
    norm2_ = Initial::batch_norm(sizes.hidden2);
    length3_ = linear3_.weight.norm(2, {1}, /*keepdim=*/true);
  }
  at::Tensor log_probabilities(const at::Tensor& x, bool training) override {
    const at::Tensor first = linear2_(norm1_(linear1_(x), training));
    const Linear last{at::_weight_norm(linear3_.weight, length3_, 0), linear3_.bias};
    return binary_from_logit(last(norm2_(at::relu(first), training)));
  }
  std::vector<NamedTensor> parameters() override {
    return {{"linear1.weight", linear1_.weight},   {"linear1.bias", linear1_.bias},
            {"norm1.weight", norm1_.weight},       {"norm1.bias", norm1_.bias},
            {"linear2.weight", linear2_.weight},   {"linear2.bias", linear2_.bias},
            {"norm2.weight", norm2_.weight},       {"norm2.bias", norm2_.bias},
            {"linear3.weight_v", linear3_.weight}, {"linear3.weight_g", length3_},
            {"linear3.bias", linear3_.bias}};
  }
  std::vector<NamedTensor> buffers() override {
    return {{"norm1.running_mean", norm1_.mean},
            {"norm1.running_var", norm1_.variance},
            {"norm2.running_mean", norm2_.mean},
            {"norm2.running_var", norm2_.variance}};
  }
  double macs_per_row() const override { return macs_; }
  // A single row has no spread to normalise by.
  std::size_t least_training_rows() const override { return 2; }

 private:
  Linear linear1_, linear2_, linear3_;  // the third: v and bias; its weight is g v / ||v||
  BatchNorm norm1_, norm2_;
  at::Tensor length3_;  // g
  double macs_;
};

}  // namespace

Result<std::unique_ptr<Network>> make_dense_network(const Job& job, int classes,
                                                    std::uint64_t seed) {
  constexpr int kWidest = 1 << 16;
  const auto& [kind, hidden] = std::tie(job.model.central, job.model.hidden);
  const auto usable = [](int size) { return size >= 1 && size <= kWidest; };
  if (hidden.size() != 2 || !usable(hidden[0]) || !usable(hidden[1])) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("model.hidden = [{}] cannot be used: central model '{}' has 2 hidden "
                             "layers of 1 to {} units, for example [128, 64]",
                             fmt::join(hidden, ", "), kind, kWidest)};
  }
  const bool binary = kind != "mlp";
  if (binary && classes != 2) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("model.central = '{}' tells 2 classes apart, the data has {}; use "
                             "'mlp'",
                             kind, classes)};
  }
  const Sizes sizes{job.model.width, hidden[0], hidden[1], binary ? 1 : classes};
  if (kind == "credit") return std::unique_ptr<Network>(new Credit(sizes, seed));
  return std::unique_ptr<Network>(new Mlp(sizes, binary, seed));
}

}  // namespace fedvs::model
