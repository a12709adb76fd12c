#include "fedvs/model/torch_images.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

namespace fedvs::model {
namespace {

struct Sizes {
  std::int64_t inputs, height, width;
};

// The outputs, then the gradients by images, kernel and bias of a loss that weighs them randomly.
template <class Convolution>
std::vector<at::Tensor> outputs_and_gradients(const Convolution& convolution,
                                              std::vector<at::Tensor> arguments,
                                              const at::Tensor& weights) {
  for (at::Tensor& argument : arguments) argument = argument.clone().set_requires_grad(true);
  const at::Tensor bias = arguments.size() > 2 ? arguments[2] : at::Tensor();
  const at::Tensor out = convolution(arguments[0], arguments[1], bias);
  std::vector<at::Tensor> all = torch::autograd::grad({out}, arguments, {weights});
  all.insert(all.begin(), out);
  return all;
}

void expect_near(const std::vector<at::Tensor>& one, const std::vector<at::Tensor>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].sizes(), other[i].sizes());
    const double largest = other[i].abs().max().item<double>();
    EXPECT_LT((one[i] - other[i]).abs().max().item<double>(), 1e-5 * largest) << "part " << i;
  }
}

at::Tensor reference(const at::Tensor& images, const at::Tensor& kernel, const at::Tensor& bias) {
  return at::conv2d(images, kernel, bias, /*stride=*/1, /*padding=*/1);
}

TEST(TorchImages, ConvolveAsLibtorchDoesWhateverTheirSizeAndDifferentiateAlike) {
  constexpr std::int64_t kRows = 5, kOutputs = 4;
  for (const auto& [inputs, height, width] :
       {Sizes{3, 1, 1}, Sizes{3, 1, 2}, Sizes{3, 2, 1}, Sizes{3, 2, 2}, Sizes{1, 2, 2},
        Sizes{3, 1, 7}, Sizes{3, 4, 14}, Sizes{1, 7, 28}, Sizes{1, 1, 28}, Sizes{16, 8, 8}}) {
    SCOPED_TRACE(testing::Message() << inputs << " x " << height << " x " << width);
    std::vector<at::Tensor> arguments = {at::randn({kRows, inputs, height, width}),
                                         at::randn({kOutputs, inputs, 3, 3}),
                                         at::randn({kOutputs})};
    const at::Tensor weights = at::randn({kRows, kOutputs, height, width});
    expect_near(outputs_and_gradients(convolve, arguments, weights),
                outputs_and_gradients(reference, arguments, weights));
    arguments.pop_back();  // without bias
    expect_near(outputs_and_gradients(convolve, arguments, weights),
                outputs_and_gradients(reference, arguments, weights));
  }
}

TEST(TorchImages, OfOnePixelNeedTheMiddleOfAKernelAlone) {
  const at::Tensor images = at::randn({5, 3, 1, 1}), kernel = at::randn({4, 3, 3, 3});
  const at::Tensor middle = kernel.slice(2, 1, 2).slice(3, 1, 2).contiguous();
  expect_near({convolve(images, middle, {})}, {reference(images, kernel, {})});
}

TEST(TorchImages, CountTheProductsThatMeetAPixel) {
  for (const auto& [inputs, height, width] : {Sizes{1, 1, 1}, Sizes{3, 2, 2}, Sizes{2, 7, 28}}) {
    // Given ones everywhere: every product adds 1
    const at::Tensor ones =
        reference(at::ones({1, inputs, height, width}), at::ones({4, inputs, 3, 3}), {});
    EXPECT_EQ(convolution_macs(inputs, 4, height, width), ones.sum().item<double>());
  }
}

TEST(TorchImages, PoolToTheLargestOfFourPixelsAndKeepAnOddSidesLast) {
  const at::Tensor images = at::randn({2, 3, 7, 28});
  const at::Tensor small = pool(images);
  ASSERT_EQ(small.sizes(), (std::vector<std::int64_t>{2, 3, pooled(7), pooled(28)}));
  const auto largest = [&](std::int64_t from, std::int64_t to) {
    return images[1][2].slice(0, from, to).slice(1, 26, 28).max().item<float>();
  };
  EXPECT_EQ(small[1][2][0][13].item<float>(), largest(0, 2));
  EXPECT_EQ(small[1][2][3][13].item<float>(), largest(6, 7));
  EXPECT_EQ(pool(at::ones({2, 3, 1, 1})).numel(), 6);
  EXPECT_EQ(pool(at::ones({2, 3, 1, 4})).size(3), 2);
}

}  // namespace
}  // namespace fedvs::model
