// What the kinds of central model differ in; central_model.cc trains them all alike.
// Private to central_*.cc: it names libtorch's tensor.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"

namespace fedvs::model {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

inline std::span<float> floats_of(const at::Tensor& contiguous) {
  return {contiguous.data_ptr<float>(), static_cast<std::size_t>(contiguous.numel())};
}

// The mean loss of a batch and its gradient by the embeddings.
struct Slope {
  double loss;
  at::Tensor by_x;  // rows x width
};

class Network {
 public:
  virtual ~Network() = default;
  // rows x width to rows x classes, differentiable by x and by the parameters.
  virtual at::Tensor log_probabilities(const at::Tensor& x, bool training) = 0;
  // In training mode; the gradient by every parameter goes into its tensor, in their order. By
  // libtorch's autograd, unless a network knows better.
  virtual Slope differentiate(const at::Tensor& x, std::span<const int> labels,
                              std::span<const at::Tensor> by_parameters);
  // Trained; floats. Handles: giving one other data changes the network.
  virtual std::vector<NamedTensor> parameters() = 0;
  // Saved but not trained, as they are now.
  virtual std::vector<NamedTensor> buffers() = 0;
  virtual double macs_per_row() const = 0;
  virtual std::size_t least_training_rows() const { return 1; }
};

// The log-probabilities of (not 1, 1) from the one output of a binary model.
at::Tensor binary_from_logit(const at::Tensor& logit);              // rows x 1
at::Tensor binary_from_probability(const at::Tensor& probability);  // rows x 1, in [0, 1]

// mlp          Linear-ReLU, Linear-ReLU, Linear-LogSoftmax
// mlp-binary   the same with one output and Sigmoid
// credit       Linear-BatchNorm-Linear-ReLU-BatchNorm-WeightNorm(Linear)-Sigmoid
// PyTorch's initial weights, drawn from a generator of their own. kBadJob unless model.hidden has
// two usable sizes; mlp-binary and credit need two classes.
Result<std::unique_ptr<Network>> make_dense_network(const Job& job, int classes,
                                                    std::uint64_t seed);

// vgg13: ten convolutions with batch norm and one linear layer, on the embedding as a square image.
// torchvision's initial weights. kBadJob unless model.width is the square of 4 or more.
Result<std::unique_ptr<Network>> make_vgg_network(const Job& job, int classes, std::uint64_t seed);

// A module that Python saved with torch.jit.save: rows x width floats to rows x classes logits or
// log-probabilities; or, for two classes, one column: the probability of class 1 (not its logit).
// Its own weights are the initial ones; `seed` only feeds dropout.
// kBadJob when it cannot be read or run, or has another number of outputs.
Result<std::unique_ptr<Network>> make_torchscript_network(const Job& job, int classes,
                                                          std::uint64_t seed);

}  // namespace fedvs::model
