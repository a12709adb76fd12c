// Linear layers with ReLU between them and a classifier's loss at their end, differentiated by
// hand: libtorch multiplies the matrices, and builds no graph.
// Private to central_*.cc: it names libtorch's tensor.
#pragma once
#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

#include "fedvs/model/central_network.h"

namespace fedvs::model {

struct Linear {
  at::Tensor weight, bias;  // outputs x inputs, outputs
  at::Tensor operator()(const at::Tensor& x) const;
};

class Backpropagation {
 public:
  // As Network::differentiate. The parameters are those of the layers: weight, bias, weight, ...
  // One output is a logit of class 1, several are those of all classes. The slope's tensor is valid
  // until the next call.
  Slope run(std::span<const Linear> layers, const at::Tensor& x, std::span<const int> labels,
            std::span<const at::Tensor> by_parameters);

 private:
  void fit(std::span<const Linear> layers, std::int64_t rows);
  void forward(std::span<const Linear> layers, const at::Tensor& x);

  std::int64_t rows_ = 0;              // that the buffers are for
  std::vector<at::Tensor> outputs_;    // of every layer: rows x its outputs, after ReLU
  std::vector<at::Tensor> by_inputs_;  // gradients: rows x its inputs
};

}  // namespace fedvs::model
