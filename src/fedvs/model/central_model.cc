#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/check.h"
#include "fedvs/model/central.h"
#include "fedvs/model/central_archive.h"
#include "fedvs/model/central_network.h"
#include "fedvs/model/optimizer.h"
#include "fedvs/model/torch_runtime.h"

namespace fedvs::model {
namespace {

std::int64_t size_of(const auto& values) { return static_cast<std::int64_t>(values.size()); }

std::vector<float> to_floats(const at::Tensor& tensor) {
  const at::Tensor contiguous = tensor.contiguous();
  const auto floats = floats_of(contiguous);
  return {floats.begin(), floats.end()};
}

// In memory of torch's own, whose alignment does not depend on the caller's.
at::Tensor to_tensor(std::span<const float> values) {
  const at::Tensor tensor = at::empty({size_of(values)}, at::kFloat);
  std::ranges::copy(values, tensor.data_ptr<float>());
  return tensor;
}

// Moves all parameters into one block of memory, so that one Optimizer can step over it.
class Parameters {
 public:
  explicit Parameters(Network& network) {
    std::int64_t total = 0;
    for (const auto& [name, tensor] : network.parameters()) total += tensor.numel();
    weights_ = at::empty({total}, at::kFloat);
    gradient_ = at::empty({total}, at::kFloat);
    std::int64_t from = 0;
    for (auto& [name, tensor] : network.parameters()) {
      const auto place_in = [&](const at::Tensor& block) {
        return block.narrow(0, from, tensor.numel()).view(tensor.sizes());
      };
      const at::Tensor place = place_in(weights_);
      gradients_.push_back(place_in(gradient_));
      place.copy_(tensor.detach());
      tensor.set_data(place);
      tensor.set_requires_grad(true);
      from += tensor.numel();
    }
  }
  std::size_t count() const { return static_cast<std::size_t>(weights_.numel()); }
  // Where the gradient by each parameter goes before a step.
  std::span<const at::Tensor> gradients() const { return gradients_; }
  void step(Optimizer& optimizer) { optimizer.step(floats_of(weights_), floats_of(gradient_)); }

 private:
  at::Tensor weights_, gradient_;
  std::vector<at::Tensor> gradients_;  // views into gradient_
};

class TorchCentral final : public CentralModel {
 public:
  TorchCentral(std::unique_ptr<Network> network, Parameters parameters, Optimizer optimizer,
               int width, int classes)
      : network_(std::move(network)),
        parameters_(std::move(parameters)),
        optimizer_(std::move(optimizer)),
        width_(width),
        classes_(classes) {}

  Learned learn(std::span<const float> embeddings, std::span<const int> labels) override {
    check_batch(embeddings, labels);
    return without_exceptions([&] {
      const Slope slope =
          network_->differentiate(to_matrix(embeddings), labels, parameters_.gradients());
      parameters_.step(optimizer_);
      return Learned{slope.loss, to_floats(slope.by_x)};
    });
  }

  std::vector<float> predict(std::span<const float> embeddings) override {
    return without_exceptions([&] {
      const c10::NoGradGuard no_grad;
      return to_floats(network_->log_probabilities(to_matrix(embeddings), false).exp());
    });
  }

  void scale_rate(double factor) override { optimizer_.scale_rate(factor); }
  double forward_macs_per_row() const override { return network_->macs_per_row(); }

  std::string save() const override {
    return without_exceptions([&] { return to_bytes(state()); });
  }

  Status load(const std::string& bytes) override {
    return without_exceptions([&]() -> Status {
      const c10::NoGradGuard no_grad;
      const std::vector<NamedTensor> now = state();
      FEDVS_TRY(const auto saved, from_bytes(bytes, now));
      const std::size_t rest = saved.size() - kOptimizerTensors;
      FEDVS_TRY_STATUS(optimizer_.restore(
          {saved[rest].tensor.item<double>(), saved[rest + 1].tensor.item<std::int64_t>(),
           to_floats(saved[rest + 2].tensor), to_floats(saved[rest + 3].tensor)}));
      for (std::size_t i = 0; i < rest; ++i) now[i].tensor.detach().copy_(saved[i].tensor);
      return {};
    });
  }

 private:
  static constexpr std::size_t kOptimizerTensors = 4;

  void check_batch(std::span<const float> embeddings, std::span<const int> labels) const {
    FEDVS_CHECK(embeddings.size() == labels.size() * static_cast<std::size_t>(width_),
                "not one embedding of the job's width per label");
    FEDVS_CHECK(labels.size() >= network_->least_training_rows(),
                "the batch has too few rows to learn from");
    FEDVS_CHECK(std::ranges::all_of(labels, [&](int y) { return y >= 0 && y < classes_; }),
                "a label lies outside the classes");
  }

  at::Tensor to_matrix(std::span<const float> embeddings) const {
    return to_tensor(embeddings).view({-1, width_});
  }

  // The module's tensors themselves, then copies of the optimiser's.
  std::vector<NamedTensor> state() const {
    std::vector<NamedTensor> all = network_->parameters();
    std::ranges::move(network_->buffers(), std::back_inserter(all));
    for (NamedTensor& entry : all) entry.name.insert(0, "module.");
    const Optimizer::State optimizer = optimizer_.state();
    all.push_back({"optimizer.rate", at::scalar_tensor(optimizer.rate, at::kDouble)});
    all.push_back({"optimizer.steps", at::scalar_tensor(optimizer.steps, at::kLong)});
    all.push_back({"optimizer.first", to_tensor(optimizer.first)});
    all.push_back({"optimizer.second", to_tensor(optimizer.second)});
    return all;
  }

  std::unique_ptr<Network> network_;
  Parameters parameters_;
  Optimizer optimizer_;
  std::int64_t width_;
  int classes_;
};

Status check_sizes(const Job& job, int classes) {
  constexpr int kWidest = 1 << 16;
  if (job.model.width < 1 || job.model.width > kWidest) {
    return Error{ErrorCode::kBadJob, fmt::format("model.width = {} cannot be used: it must be 1 "
                                                 "to {}",
                                                 job.model.width, kWidest)};
  }
  if (classes < 2) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("the data has {} class(es); a central model needs 2 or more, check "
                             "the label column",
                             classes)};
  }
  return {};
}

Result<std::unique_ptr<Network>> make_network(const Job& job, int classes, std::uint64_t seed) {
  const std::string& kind = job.model.central;
  if (kind == "torchscript") return make_torchscript_network(job, classes, seed);
  if (kind == "mlp" || kind == "mlp-binary" || kind == "credit") {
    return make_dense_network(job, classes, seed);
  }
  if (kind == "vgg13") return make_vgg_network(job, classes, seed);
  return Error{ErrorCode::kBadJob,
               fmt::format("model.central = '{}' is unknown; use mlp, mlp-binary, credit, vgg13 "
                           "or torchscript",
                           kind)};
}

}  // namespace

Result<std::unique_ptr<CentralModel>> make_central(const Job& job, int classes,
                                                   std::uint64_t seed) {
  FEDVS_TRY_STATUS(check_sizes(job, classes));
  return without_exceptions([&]() -> Result<std::unique_ptr<CentralModel>> {
    FEDVS_TRY(auto network, make_network(job, classes, seed));
    Parameters parameters(*network);
    FEDVS_TRY(auto optimizer, Optimizer::create({job.train.optimizer, job.train.lr,
                                                 job.train.momentum, job.train.weight_decay},
                                                parameters.count()));
    return std::unique_ptr<CentralModel>(new TorchCentral(
        std::move(network), std::move(parameters), std::move(optimizer), job.model.width, classes));
  });
}

}  // namespace fedvs::model
