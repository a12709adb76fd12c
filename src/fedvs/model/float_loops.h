// The bodies of FloatKernels, for files that name an instruction set first: Lanes (a vector of
// floats), how many vectors and outputs a tile of the gradient has, and load_first / store_first of
// a part of a vector. Everything is local to the file that includes this and nothing of std:: is
// called: the linker could otherwise pick one file's instructions for a machine that lacks them.
#pragma once
#include "fedvs/model/dense_loops.h"
#include "fedvs/model/gradient_loops.h"

namespace fedvs::model {
namespace {

void adam(const AdamStep& step, const float* g, float* weights, float* first, float* second,
          std::size_t count) {
  const AdamStep s = step;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const float slope = g[i];
    const float m = s.b1 * first[i] + s.a1 * slope;
    const float v = s.b2 * second[i] + s.a2 * slope * slope;
    const float w = weights[i] - s.step * (m / (__builtin_sqrtf(v) / s.root_bias + s.epsilon));
    first[i] = m;  // stored last: reading it back would wait for the store
    second[i] = v;
    weights[i] = w;
  }
}

// Scaling by a power of two, cutting off and taking the difference are all exact, so this is the
// rounding of the definition: half goes up, also below zero.
std::int32_t round_half_up(const float* x, float scale, std::int32_t* out, std::size_t count) {
  std::int32_t outside = 0, bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = scale * x[i];
    outside |= !(scaled < 0x1p31f && scaled > -0x1p31f);
  }
  if (outside) return -1;
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = scale * x[i];
    const std::int32_t cut = static_cast<std::int32_t>(scaled);
    const float rest = scaled - static_cast<float>(cut);
    const std::int32_t rounded = cut + (rest >= 0.5f ? 1 : 0) - (rest < -0.5f ? 1 : 0);
    out[i] = rounded;
    bits |= rounded ^ (rounded >> 31);
  }
  for (std::int32_t shift = 1; shift < 32; shift *= 2) bits |= bits >> shift;
  return bits;
}

constexpr FloatKernels kLoops = {
    &pack<std::int16_t>, &pack<std::int32_t>, &add_strip, &adam,     &round_half_up,
    &add_bias,           &clear_where_cut,    &sum_rows,  &exp_below};

}  // namespace
}  // namespace fedvs::model
