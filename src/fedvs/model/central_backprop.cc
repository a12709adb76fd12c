#include "fedvs/model/central_backprop.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "fedvs/model/batch_loss.h"

namespace fedvs::model {

at::Tensor Linear::operator()(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }

namespace {

void add_bias(std::span<float> rows, std::span<const float> bias) {
  for (float* row = rows.data(); row != rows.data() + rows.size(); row += bias.size()) {
    for (std::size_t j = 0; j < bias.size(); ++j) row[j] += bias[j];
  }
}

void add_bias_and_cut(std::span<float> rows, std::span<const float> bias) {
  for (float* row = rows.data(); row != rows.data() + rows.size(); row += bias.size()) {
    for (std::size_t j = 0; j < bias.size(); ++j) {
      const float sum = row[j] + bias[j];
      row[j] = sum < 0 ? 0 : sum;  // NaN stays NaN
    }
  }
}

// ReLU's derivative at 0 is 0, as PyTorch has it.
void clear_where_cut(std::span<float> slopes, std::span<const float> outputs) {
  for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = outputs[i] <= 0 ? 0 : slopes[i];
}

void sum_of_rows(std::span<const float> rows, std::span<float> sums) {
  std::ranges::fill(sums, 0.0f);
  for (const float* row = rows.data(); row != rows.data() + rows.size(); row += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += row[j];
  }
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
    const bool last = i + 1 == layers.size();
    (last ? add_bias : add_bias_and_cut)(floats_of(outputs_[i]), floats_of(layers[i].bias));
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
    sum_of_rows(floats_of(slope), floats_of(by_parameters[2 * i + 1]));
    at::mm_out(by_inputs_[i], slope, layers[i].weight);
    if (i > 0) clear_where_cut(floats_of(by_inputs_[i]), floats_of(outputs_[i - 1]));
    slope = by_inputs_[i];
  }
  return {loss, slope};
}

}  // namespace fedvs::model
