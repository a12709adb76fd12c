#include "fedvs/model/torch_images.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/im2col.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/tensor.h>

#include <vector>

namespace fedvs::model {
namespace {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return bias.defined() ? at::addmm(bias, x, weight.t()) : at::mm(x, weight.t());
}

// Pixels in the order of memory, one row per image.
at::Tensor flat(const at::Tensor& images) {
  return images.permute({0, 2, 3, 1}).reshape({images.size(0), -1});
}

at::Tensor unflat(const at::Tensor& rows, std::int64_t height, std::int64_t width,
                  std::int64_t channels) {
  return rows.view({-1, height, width, channels}).permute({0, 3, 1, 2});
}

// Which of the 9 weights lies between every pixel of the output and every one of the input, on
// images of at most 2 x 2 pixels: none of them is further than 1 from another.
at::Tensor taps(std::int64_t height, std::int64_t width) {
  std::vector<std::int64_t> between;
  const std::int64_t pixels = height * width;
  for (std::int64_t to = 0; to < pixels; ++to) {
    for (std::int64_t from = 0; from < pixels; ++from) {
      const std::int64_t down = from / width - to / width, right = from % width - to % width;
      between.push_back((down + 1) * 3 + right + 1);
    }
  }
  return at::tensor(between);
}

// On tiny images a convolution is one dense product, of 16 weights instead of 36 on 2 x 2 pixels.
at::Tensor convolve_tiny(const at::Tensor& images, const at::Tensor& kernel,
                         const at::Tensor& bias) {
  const std::int64_t outputs = kernel.size(0), inputs = kernel.size(1);
  const std::int64_t height = images.size(2), width = images.size(3), pixels = height * width;
  const at::Tensor dense = kernel.view({outputs, inputs, 9})
                               .index_select(2, taps(height, width))
                               .view({outputs, inputs, pixels, pixels})
                               .permute({2, 0, 3, 1})
                               .reshape({pixels * outputs, pixels * inputs});
  const at::Tensor biases = bias.defined() ? bias.repeat({pixels}) : bias;
  return unflat(linear(flat(images), dense, biases), height, width, outputs);
}

// libtorch's convolution is slow for one input channel: 9 products do not fill a vector.
at::Tensor convolve_grey(const at::Tensor& images, const at::Tensor& kernel,
                         const at::Tensor& bias) {
  const at::Tensor patches = at::im2col(images, {3, 3}, /*dilation=*/{1, 1}, /*padding=*/{1, 1},
                                        /*stride=*/{1, 1});  // rows x 9 x pixels
  const at::Tensor out =
      linear(patches.transpose(1, 2).reshape({-1, 9}), kernel.view({-1, 9}), bias);
  return unflat(out, images.size(2), images.size(3), kernel.size(0));
}

}  // namespace

at::Tensor as_images(const at::Tensor& rows, std::int64_t height, std::int64_t width) {
  return rows.view({-1, 1, height, width});
}

at::Tensor convolve(const at::Tensor& images, const at::Tensor& kernel, const at::Tensor& bias) {
  const std::int64_t height = images.size(2), width = images.size(3);
  if (kernel.size(2) == 1) {
    return unflat(linear(flat(images), kernel.view({kernel.size(0), -1}), bias), height, width,
                  kernel.size(0));
  }
  if (height <= 2 && width <= 2) return convolve_tiny(images, kernel, bias);
  if (kernel.size(1) == 1) return convolve_grey(images, kernel, bias);
  return at::conv2d(images, kernel.contiguous(at::MemoryFormat::ChannelsLast), bias,
                    /*stride=*/1, /*padding=*/1);
}

double convolution_macs(std::int64_t inputs, std::int64_t outputs, std::int64_t height,
                        std::int64_t width) {
  return static_cast<double>(inputs * outputs * (3 * height - 2) * (3 * width - 2));
}

at::Tensor pool(const at::Tensor& images) {
  if (images.size(2) == 1 && images.size(3) == 1) return images;
  return at::max_pool2d(images, {2, 2}, /*stride=*/{2, 2}, /*padding=*/{0, 0}, /*dilation=*/{1, 1},
                        /*ceil_mode=*/true);
}

}  // namespace fedvs::model
