#include "fedvs/field/combine_planes.h"

#include <algorithm>
#include <array>
#include <vector>

#include "fedvs/field/reduce.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kTile = 512;        // elements; all inputs of a tile stay in the cache
constexpr std::size_t kExactTerms = 256;  // 256 * 250^2 + 250 < 2^24: floats stay exact

using FloatTile = std::array<float, kTile>;

void widen(const std::uint8_t* in, std::size_t count, FloatTile& out) {
  for (std::size_t e = 0; e < count; ++e) out[e] = static_cast<float>(static_cast<int>(in[e]));
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), 0.0f);
}

void add_four(const float* c, const FloatTile* x, FloatTile& sum) {
  for (std::size_t e = 0; e < kTile; ++e) {
    sum[e] += (c[0] * x[0][e] + c[1] * x[1][e]) + (c[2] * x[2][e] + c[3] * x[3][e]);
  }
}

void add_one(float c, const FloatTile& x, FloatTile& sum) {
  for (std::size_t e = 0; e < kTile; ++e) sum[e] += c * x[e];
}

void add_terms(std::span<const float> c, const FloatTile* x, FloatTile& sum) {
  std::size_t i = 0;
  for (; i + 4 <= c.size(); i += 4) add_four(&c[i], &x[i], sum);
  for (; i < c.size(); ++i) add_one(c[i], x[i], sum);
}

// One output of one tile: sums of integers below 2^24, exact in float, reduced once.
void byte_tile(std::span<const float> c, const FloatTile* x, std::uint32_t prime,
               std::array<std::uint8_t, kTile>& out) {
  alignas(64) FloatTile sum{};
  for (std::size_t i = 0; i < c.size(); i += kExactTerms) {
    if (i > 0) widen(out.data(), kTile, sum);
    add_terms(c.subspan(i, std::min(kExactTerms, c.size() - i)), x + i, sum);
    reduce_floats(sum, prime, out.data());
  }
}

void add_m31(std::span<const Residue> c, const std::uint32_t* const* x, std::size_t first,
             std::size_t count, std::uint64_t* sum) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::uint64_t factor = c[i];
    const std::uint32_t* in = x[i] + first;
    for (std::size_t e = 0; e < count; ++e) sum[e] += fold_m31(factor * in[e]);  // below 2^32 each
  }
}

void store_m31(const std::uint64_t* sum, std::size_t count, std::uint32_t* out) {
  for (std::size_t e = 0; e < count; ++e) {
    const std::uint64_t rest = fold_m31(fold_m31(sum[e]));  // below 2^31 + 8
    out[e] = static_cast<std::uint32_t>(rest >= kMersenne31 ? rest - kMersenne31 : rest);
  }
}

}  // namespace

void combine_bytes(std::span<const Residue> coefficients, std::uint32_t prime,
                   std::span<const std::uint8_t* const> inputs,
                   std::span<std::uint8_t* const> outputs, std::size_t count) {
  const std::vector<float> c(coefficients.begin(), coefficients.end());
  std::vector<FloatTile> x(inputs.size());
  std::array<std::uint8_t, kTile> reduced{};
  for (std::size_t first = 0; first < count; first += kTile) {
    const std::size_t width = std::min(kTile, count - first);
    for (std::size_t i = 0; i < inputs.size(); ++i) widen(inputs[i] + first, width, x[i]);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      byte_tile(std::span(c).subspan(o * inputs.size(), inputs.size()), x.data(), prime, reduced);
      std::copy_n(reduced.begin(), width, outputs[o] + first);
    }
  }
}

void combine_m31(std::span<const Residue> coefficients,
                 std::span<const std::uint32_t* const> inputs,
                 std::span<std::uint32_t* const> outputs, std::size_t count) {
  std::array<std::uint64_t, kTile> sum;
  for (std::size_t first = 0; first < count; first += kTile) {
    const std::size_t width = std::min(kTile, count - first);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      sum.fill(0);
      add_m31(coefficients.subspan(o * inputs.size(), inputs.size()), inputs.data(), first, width,
              sum.data());
      store_m31(sum.data(), width, outputs[o] + first);
    }
  }
}

}  // namespace fedvs::field
