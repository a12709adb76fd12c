// Byte planes on any machine: sums of integers below 2^24 are exact in float, and plain loops over
// floats become vector code whatever the instruction set.
#include <algorithm>
#include <array>

#include "fedvs/field/combine_kernels.h"
#include "fedvs/field/reduce.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kTile = 256;  // elements; all inputs of a tile stay in the cache

using FloatTile = std::array<float, kTile>;

void widen(const std::uint8_t* in, std::size_t count, FloatTile& out) {
  for (std::size_t e = 0; e < count; ++e) out[e] = static_cast<float>(static_cast<int>(in[e]));
}

void add_four(const float* c, const FloatTile* x, FloatTile& sum) {
  for (std::size_t e = 0; e < kTile; ++e) {
    sum[e] += (c[0] * x[0][e] + c[1] * x[1][e]) + (c[2] * x[2][e] + c[3] * x[3][e]);
  }
}

void add_one(float c, const FloatTile& x, FloatTile& sum) {
  for (std::size_t e = 0; e < kTile; ++e) sum[e] += c * x[e];
}

void add_terms(const ByteCombination& job, std::size_t output, const FloatTile* x, FloatTile& sum) {
  std::array<float, kTermsAtOnce> c;
  for (std::size_t i = 0; i < job.inputs; ++i) {
    c[i] = static_cast<float>(static_cast<int>(job.factor[output][i]));
  }
  std::size_t i = 0;
  for (; i + 4 <= job.inputs; i += 4) add_four(&c[i], &x[i], sum);
  for (; i < job.inputs; ++i) add_one(c[i], x[i], sum);
}

void combine_tile(const ByteCombination& job, std::size_t in, std::size_t out, std::size_t count) {
  alignas(64) std::array<FloatTile, kTermsAtOnce> x{};
  alignas(64) FloatTile sum{};
  for (std::size_t i = 0; i < job.inputs; ++i) widen(job.input[i] + in, count, x[i]);
  for (std::size_t o = 0; o < job.outputs; ++o) {
    std::uint8_t* target = job.output[o] + out;
    if (job.add) {
      widen(target, count, sum);
    } else {
      sum.fill(0.0f);
    }
    const float offset = static_cast<float>(job.offset[o]);
    for (float& value : sum) value += offset;
    add_terms(job, o, x.data(), sum);
    reduce_floats({sum.data(), count}, job.prime.prime, target);
  }
}

}  // namespace

void combine_bytes_portable(const ByteCombination& job) {
  for (std::size_t r = 0; r < job.rows; ++r) {
    for (std::size_t e = 0; e < job.cols; e += kTile) {
      combine_tile(job, r * job.input_stride + e, r * job.output_stride + e,
                   std::min(kTile, job.cols - e));
    }
  }
}

}  // namespace fedvs::field
