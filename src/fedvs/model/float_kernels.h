// The loops over floats that clients spend their own time in, and those around the central model's
// products, compiled once per instruction set.
// All sets give the same bits: an element sees the same operations in the same order, whatever the
// number of lanes beside it, and a product is rounded before it is added (no fused multiply-add).
#pragma once
#include <cstddef>
#include <cstdint>

#include "fedvs/field/kernel.h"

namespace fedvs::model {

// Inputs of a gradient that are worked on together. Rows of integers are read in whole strips, so
// their memory ends with kStrip readable elements more.
inline constexpr std::size_t kStrip = 32;

// A strip of some samples: into[j][p] += sum_i g[i][j] * x[i][p], p < inputs <= kStrip.
struct GradientStrip {
  const float* x;  // samples x kStrip
  const float* g;  // samples x width, and kTileSlack readable floats more
  std::size_t samples, width, inputs;
  float* into;  // width rows
  std::size_t into_stride;
  bool starts;  // from zero: `into` is overwritten
};
inline constexpr std::size_t kTileSlack = 16;

// first = b1 first + a1 g,  second = b2 second + a2 g g,
// weights -= step * (first / (sqrt(second) / root_bias + epsilon)), element by element.
struct AdamStep {
  float b1, a1, b2, a2, step, root_bias, epsilon;
};

struct FloatKernels {
  // packed[i][c] = unit * x[samples[i] * pitch + c] for c < kStrip, i < count.
  void (*pack_narrow)(const std::int16_t* x, const std::size_t* samples, std::size_t count,
                      std::size_t pitch, float unit, float* packed);
  void (*pack_wide)(const std::int32_t* x, const std::size_t* samples, std::size_t count,
                    std::size_t pitch, float unit, float* packed);
  void (*add_strip)(const GradientStrip& strip);
  void (*adam)(const AdamStep& step, const float* g, float* weights, float* first, float* second,
               std::size_t count);
  // out = floor(scale * x + 1/2), scale a power of two. Returns the largest of v or -v - 1 over all
  // results, rounded up to 2^n - 1; a negative number if one does not fit 32 bits.
  std::int32_t (*round_half_up)(const float* x, float scale, std::int32_t* out, std::size_t count);
  // `count` rows += bias, and at least `least`; NaN stays NaN.
  void (*add_bias)(const float* bias, std::size_t width, float least, float* rows,
                   std::size_t count);
  // ReLU's derivative, at 0 as PyTorch has it: slopes become 0 where outputs are not above 0.
  void (*clear_where_cut)(const float* outputs, float* slopes, std::size_t count);
  // sums[j] = sum_i rows[i][j], in the order of the rows.
  void (*sum_rows)(const float* rows, std::size_t width, float* sums, std::size_t count);
  // row = e^(row - largest), largest its maximum, within 2 units in the last place; what lies
  // below e^-87 becomes that. NaN stays NaN.
  void (*exp_below)(float largest, float* row, std::size_t count);
};

const FloatKernels& float_kernels(field::Kernel kernel);  // which the machine must have

extern const FloatKernels kPortableFloatKernels, kAvx2FloatKernels, kAvx512FloatKernels;

}  // namespace fedvs::model
