#include "fedvs/model/central_backprop.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <c10/core/GradMode.h>

#include <limits>

#include "fedvs/model/batch_loss.h"
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {

at::Tensor Linear::operator()(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }

namespace {

const FloatKernels& loops() { return float_kernels(field::active_kernel()); }

std::size_t rows_of(const at::Tensor& matrix) { return static_cast<std::size_t>(matrix.size(0)); }

void add_bias(const at::Tensor& outputs, const at::Tensor& bias, bool relu) {
  const auto values = floats_of(bias);
  const float least = relu ? 0.0f : -std::numeric_limits<float>::infinity();
  loops().add_bias(values.data(), values.size(), least, outputs.data_ptr<float>(),
                   rows_of(outputs));
}

void sum_rows(const at::Tensor& matrix, const at::Tensor& sums) {
  const auto into = floats_of(sums);
  loops().sum_rows(matrix.data_ptr<float>(), into.size(), into.data(), rows_of(matrix));
}

void clear_where_cut(const at::Tensor& outputs, const at::Tensor& slopes) {
  const auto to = floats_of(slopes);
  loops().clear_where_cut(outputs.data_ptr<float>(), to.data(), to.size());
}

}  // namespace

void Backpropagation::fit(std::span<const Linear> layers, std::int64_t rows) {
  if (rows == rows_) return;
  outputs_.clear();
  by_inputs_.clear();
  for (const Linear& layer : layers) {
    outputs_.push_back(at::empty({rows, layer.weight.size(0)}, at::kFloat));
    by_inputs_.push_back(at::empty({rows, layer.weight.size(1)}, at::kFloat));
  }
  rows_ = rows;
}

void Backpropagation::forward(std::span<const Linear> layers, const at::Tensor& x) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    at::mm_out(outputs_[i], i == 0 ? x : outputs_[i - 1], layers[i].weight.t());
    add_bias(outputs_[i], layers[i].bias, /*relu=*/i + 1 < layers.size());
  }
}

Slope Backpropagation::run(std::span<const Linear> layers, const at::Tensor& x,
                           std::span<const int> labels, std::span<const at::Tensor> by_parameters) {
  const c10::NoGradGuard no_grad;
  fit(layers, x.size(0));
  forward(layers, x);
  at::Tensor slope = outputs_.back();
  const double loss = (slope.size(1) == 1 ? logistic_loss : softmax_loss)(floats_of(slope), labels);
  for (std::size_t i = layers.size(); i-- > 0;) {
    at::Tensor by_weight = by_parameters[2 * i];
    at::mm_out(by_weight, slope.t(), i == 0 ? x : outputs_[i - 1]);
    sum_rows(slope, by_parameters[2 * i + 1]);
    at::mm_out(by_inputs_[i], slope, layers[i].weight);
    if (i > 0) clear_where_cut(outputs_[i - 1], by_inputs_[i]);
    slope = by_inputs_[i];
  }
  return {loss, slope};
}

}  // namespace fedvs::model
