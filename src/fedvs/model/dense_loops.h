// The loops of the central model's dense layers, see float_loops.h.
#pragma once
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {
namespace {

void add_bias(const float* bias, std::size_t width, float least, float* rows, std::size_t count) {
  for (; count > 0; --count, rows += width) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < width; ++j) {
      const float sum = rows[j] + bias[j];
      rows[j] = sum < least ? least : sum;
    }
  }
}

void clear_where_cut(const float* outputs, float* slopes, std::size_t count) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) slopes[i] = outputs[i] <= 0 ? 0 : slopes[i];
}

void sum_rows(const float* rows, std::size_t width, float* sums, std::size_t count) {
  for (std::size_t j = 0; j < width; ++j) sums[j] = 0;
  for (; count > 0; --count, rows += width) {
#pragma GCC ivdep
    for (std::size_t j = 0; j < width; ++j) sums[j] += rows[j];
  }
}

inline float exp_of_negative(float x) {
  constexpr float kLeast = -87.0f, kRounder = 0x1.8p23f;
  constexpr float kLog2e = 0x1.715476p0f, kLn2High = 0x1.62e400p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  const float bounded = x < kLeast ? kLeast : x;
  // Adding 1.5 * 2^23 rounds to an integer, which is then in the lowest bits.
  const float shifted = bounded * kLog2e + kRounder;
  const float whole = shifted - kRounder;
  const float r = (bounded - whole * kLn2High) - whole * kLn2Low;  // |r| <= ln 2 / 2
  const float cubic = ((r * (1.0f / 5040) + 1.0f / 720) * r + 1.0f / 120) * r + 1.0f / 24;
  const float series = (((cubic * r + 1.0f / 6) * r + 0.5f) * r + 1.0f) * r + 1.0f;
  return series *
         __builtin_bit_cast(float, (__builtin_bit_cast(std::uint32_t, shifted) + 127) << 23);
}

void exp_below(float largest, float* row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) row[i] = exp_of_negative(row[i] - largest);
}

}  // namespace
}  // namespace fedvs::model
