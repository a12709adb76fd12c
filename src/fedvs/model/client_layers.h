// What the layers of clients' perceptrons and convolutional networks are.
// Private to client_*.cc: it names libtorch's tensor.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"

namespace fedvs::model {

inline constexpr std::int64_t kImageWidth = 28;

// 3 x 3 convolution-ReLU-pooling, or linear with ReLU between two of them.
struct ClientLayer {
  bool convolution;
  std::int64_t inputs, outputs;
  double macs;  // for one row

  std::vector<std::int64_t> weight_shape() const;
  std::int64_t weights_per_output() const { return inputs * (convolution ? 9 : 1); }
};

// model.client = mlp: `layers` linear ones. cnn: as many convolutions, on rows of 28 pixels, then a
// linear one. kBadJob for other kinds, for another number than 1 to 3, and for a cnn on features
// that are no rows of pixels.
Result<std::vector<ClientLayer>> client_layers(const Job& job, int features, int layers);

// How many numbers every layer's weight and then its bias have.
std::vector<std::int64_t> sizes_of(const std::vector<ClientLayer>& layers);
// PyTorch's, one after the other in that order.
at::Tensor initial_weights(const std::vector<ClientLayer>& layers, std::uint64_t seed);

}  // namespace fedvs::model
