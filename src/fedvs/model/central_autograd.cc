#include <ATen/ops/empty.h>
#include <ATen/ops/nll_loss.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "fedvs/model/central_network.h"

namespace fedvs::model {
namespace {

at::Tensor to_label_tensor(std::span<const int> labels) {
  const at::Tensor tensor = at::empty({static_cast<std::int64_t>(labels.size())}, at::kLong);
  std::ranges::copy(labels, tensor.data_ptr<std::int64_t>());
  return tensor;
}

}  // namespace

Slope Network::differentiate(const at::Tensor& x, std::span<const int> labels,
                             std::span<const at::Tensor> by_parameters) {
  const at::Tensor input = x.detach().set_requires_grad(true);
  const at::Tensor loss =
      at::nll_loss(log_probabilities(input, /*training=*/true), to_label_tensor(labels));
  std::vector<at::Tensor> wanted;
  for (const auto& [name, tensor] : parameters()) wanted.push_back(tensor);
  wanted.push_back(input);
  const std::vector<at::Tensor> gradients =
      torch::autograd::grad({loss}, wanted, {}, /*retain_graph=*/false, /*create_graph=*/false,
                            /*allow_unused=*/true);
  for (std::size_t i = 0; i < by_parameters.size(); ++i) {
    const at::Tensor& to = by_parameters[i];
    gradients[i].defined() ? to.copy_(gradients[i]) : to.zero_();  // zero: the loss ignores it
  }
  return {loss.item<double>(), gradients.back()};
}

}  // namespace fedvs::model
