#include "fedvs/model/client_layers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "fedvs/model/torch_images.h"

namespace fedvs::model {
namespace {

constexpr std::int64_t kChannels[] = {16, 32, 64};  // of the first, second and third convolution

ClientLayer linear(std::int64_t inputs, std::int64_t outputs) {
  return {false, inputs, outputs, static_cast<double>(inputs * outputs)};
}

std::vector<ClientLayer> perceptron(std::int64_t features, std::int64_t width, int layers) {
  std::vector<ClientLayer> all = {linear(features, width)};
  while (std::ssize(all) < layers) all.push_back(linear(width, width));
  return all;
}

std::vector<ClientLayer> convolutions(std::int64_t features, std::int64_t width, int layers) {
  std::vector<ClientLayer> all;
  std::int64_t channels = 1, down = features / kImageWidth, across = kImageWidth;
  for (const std::int64_t outputs : std::span(kChannels).first(static_cast<std::size_t>(layers))) {
    all.push_back({true, channels, outputs, convolution_macs(channels, outputs, down, across)});
    channels = outputs;
    down = pooled(down);
    across = pooled(across);
  }
  all.push_back(linear(channels * down * across, width));
  return all;
}

Error bad(std::string message) { return {ErrorCode::kBadJob, std::move(message)}; }

Status check_images(const Job& job, int features) {
  constexpr std::array kImageSets = {"fashion-mnist", "emnist"};
  if (std::ranges::find(kImageSets, job.data.name) == kImageSets.end()) {
    return bad(
        fmt::format("model.client = 'cnn' needs images ({} or {}), and data.name = '{}' has "
                    "none; use model.client = 'mlp' or 'pn'",
                    kImageSets[0], kImageSets[1], job.data.name));
  }
  if (features < 1 || features % kImageWidth != 0) {
    return bad(
        fmt::format("model.client = 'cnn' needs whole rows of {} pixels, and a client holds "
                    "{} of them; set data.clients to 1, 2, 4, 7, 14 or 28",
                    kImageWidth, features));
  }
  return {};
}

}  // namespace

std::vector<std::int64_t> ClientLayer::weight_shape() const {
  if (convolution) return {outputs, inputs, 3, 3};
  return {outputs, inputs};
}

Result<std::vector<ClientLayer>> client_layers(const Job& job, int features, int layers) {
  const std::string& kind = job.model.client;
  if (kind != "mlp" && kind != "cnn") {
    return bad(fmt::format("model.client = '{}' is unknown; use pn, mlp or cnn", kind));
  }
  if (layers < 1 || layers > 3) {
    return bad(fmt::format("model.degrees asks for {} layers of model.client = '{}'; use 1 to 3",
                           layers, kind));
  }
  if (kind == "mlp") return perceptron(features, job.model.width, layers);
  FEDVS_TRY_STATUS(check_images(job, features));
  return convolutions(features, job.model.width, layers);
}

std::vector<std::int64_t> sizes_of(const std::vector<ClientLayer>& layers) {
  std::vector<std::int64_t> sizes;
  for (const ClientLayer& layer : layers) {
    sizes.push_back(layer.outputs * layer.weights_per_output());
    sizes.push_back(layer.outputs);
  }
  return sizes;
}

// Uniform on +-1/sqrt(inputs), the bias too.
at::Tensor initial_weights(const std::vector<ClientLayer>& layers, std::uint64_t seed) {
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  const std::vector<std::int64_t> sizes = sizes_of(layers);
  at::Tensor weights =
      at::empty({std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})}, at::kFloat);
  std::int64_t from = 0;
  for (const ClientLayer& layer : layers) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.weights_per_output()));
    const std::int64_t size = layer.outputs * (layer.weights_per_output() + 1);
    weights.narrow(0, from, size).uniform_(-bound, bound, generator);
    from += size;
  }
  return weights;
}

}  // namespace fedvs::model
