// Convolutions on small images, as fast as libtorch computes them on one core.
// Images are rows x channels x height x width, with the channels of a pixel beside each other in
// memory ("channels last"): batch norm and pooling are several times faster so.
// Private to central_*.cc and client_*.cc: it names libtorch's tensor.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace fedvs::model {

// Images with one channel.
at::Tensor as_images(const at::Tensor& rows, std::int64_t height, std::int64_t width);

// With a border of one pixel of zeros. kernel: outputs x inputs x 3 x 3; or x 1 x 1, the middle of
// one, which is all that images of one pixel meet. bias: outputs, or undefined for none.
at::Tensor convolve(const at::Tensor& images, const at::Tensor& kernel, const at::Tensor& bias);
// Multiply-adds for one image, those with the border left out.
double convolution_macs(std::int64_t inputs, std::int64_t outputs, std::int64_t height,
                        std::int64_t width);

// The largest of every 2 x 2 pixels. An odd side's last pixel is kept.
at::Tensor pool(const at::Tensor& images);
inline std::int64_t pooled(std::int64_t side) { return (side + 1) / 2; }

}  // namespace fedvs::model
