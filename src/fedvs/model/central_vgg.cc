// VGG13 on an embedding as an image of one channel: ten convolutions, each with batch norm and
// ReLU, five poolings, and one linear layer (the form for small images; the three of the original
// need far more epochs). A convolution before a batch norm needs no bias: the norm takes it off.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <cmath>

#include "fedvs/model/central_network.h"
#include "fedvs/model/torch_images.h"

namespace fedvs::model {
namespace {

constexpr std::int64_t kChannels[] = {64, 128, 256, 512, 512};  // two convolutions each, a pooling

struct Convolution {
  at::Tensor kernel;                        // 3 x 3; on one pixel its middle alone: 1 x 1
  at::Tensor scale, shift, mean, variance;  // of the batch norm
  bool pool_after;
  at::Tensor operator()(const at::Tensor& images, bool training) const {
    constexpr double kMomentum = 0.1, kEpsilon = 1e-5;  // PyTorch's defaults
    const at::Tensor out =
        at::relu(at::batch_norm(convolve(images, kernel, {}), scale, shift, mean, variance,
                                training, kMomentum, kEpsilon, /*cudnn_enabled=*/false));
    return pool_after ? pool(out) : out;
  }
};

class Vgg final : public Network {
 public:
  Vgg(std::int64_t side, std::int64_t classes, std::uint64_t seed)
      : side_(side), generator_(at::detail::createCPUGenerator(seed)) {
    std::int64_t inputs = 1;
    for (const std::int64_t outputs : kChannels) {
      add_convolution(inputs, outputs, side, /*pool_after=*/false);
      add_convolution(outputs, outputs, side, /*pool_after=*/true);
      inputs = outputs;
      side = pooled(side);
    }
    weight_ = normal({classes, inputs}, 0.01);
    bias_ = at::zeros({classes});
    macs_ += static_cast<double>(classes * inputs);
  }

  at::Tensor log_probabilities(const at::Tensor& x, bool training) override {
    at::Tensor images = as_images(x, side_, side_);
    for (const Convolution& layer : convolutions_) images = layer(images, training);
    const at::Tensor features = images.mean({2, 3});  // of more than one pixel when side > 32
    return at::log_softmax(at::addmm(bias_, features, weight_.t()), 1);
  }

  // Named by their places in torchvision's sequence of convolution, norm, ReLU and pooling.
  std::vector<NamedTensor> parameters() override {
    std::vector<NamedTensor> all;
    for (int place = 0; const Convolution& layer : convolutions_) {
      all.push_back({fmt::format("features.{}.weight", place), layer.kernel});
      all.push_back({fmt::format("features.{}.weight", place + 1), layer.scale});
      all.push_back({fmt::format("features.{}.bias", place + 1), layer.shift});
      place += layer.pool_after ? 4 : 3;
    }
    all.push_back({"classifier.weight", weight_});
    all.push_back({"classifier.bias", bias_});
    return all;
  }
  std::vector<NamedTensor> buffers() override {
    std::vector<NamedTensor> all;
    for (int place = 0; const Convolution& layer : convolutions_) {
      all.push_back({fmt::format("features.{}.running_mean", place + 1), layer.mean});
      all.push_back({fmt::format("features.{}.running_var", place + 1), layer.variance});
      place += layer.pool_after ? 4 : 3;
    }
    return all;
  }
  double macs_per_row() const override { return macs_; }
  // A single row has no spread to normalise by once its image is one pixel.
  std::size_t least_training_rows() const override { return 2; }

 private:
  // torchvision's initial weights.
  void add_convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t side,
                       bool pool_after) {
    const std::int64_t across = side == 1 ? 1 : 3;
    const double spread = std::sqrt(2.0 / (9.0 * static_cast<double>(outputs)));  // Kaiming's
    convolutions_.push_back({normal({outputs, inputs, across, across}, spread), at::ones({outputs}),
                             at::zeros({outputs}), at::zeros({outputs}), at::ones({outputs}),
                             pool_after});
    macs_ += convolution_macs(inputs, outputs, side, side);
  }
  at::Tensor normal(at::IntArrayRef shape, double spread) {
    return at::empty(shape).normal_(0, spread, generator_);
  }

  std::int64_t side_;
  at::Generator generator_;
  std::vector<Convolution> convolutions_;
  at::Tensor weight_, bias_;  // classes x 512
  double macs_ = 0;
};

}  // namespace

Result<std::unique_ptr<Network>> make_vgg_network(const Job& job, int classes, std::uint64_t seed) {
  const int width = job.model.width;
  const int side = static_cast<int>(std::lround(std::sqrt(width)));
  if (side < 4 || side * side != width) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("model.central = 'vgg13' sees the embedding as a square image of 4 x "
                             "4 pixels or more, but {} numbers come in (model.width, times the "
                             "clients with aggregation concat); make it 64 for 8 x 8, or 16, 256",
                             width)};
  }
  return std::unique_ptr<Network>(new Vgg(side, classes, seed));
}

}  // namespace fedvs::model
