#include "fedvs/model/polynomial_network.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fedvs/base/check.h"

namespace fedvs::model {

void raise_to_powers(std::span<const float> x, int degree, std::span<float> powers) {
  float* out = std::copy(x.begin(), x.end(), powers.data());
  for (int power = 2; power <= degree; ++power, out += x.size()) {
    const float* const last = out - x.size();
    for (std::size_t c = 0; c < x.size(); ++c) out[c] = last[c] * x[c];
  }
  *out = 1.0f;
}

data::Table raise_to_powers(const data::Table& features, int degree) {
  FEDVS_CHECK(degree >= 1, "a polynomial network has degree 1 or more");
  const std::size_t inputs = features.cols * static_cast<std::size_t>(degree) + 1;
  data::Table powers{features.rows, inputs, std::vector<float>(features.rows * inputs)};
  for (std::size_t r = 0; r < features.rows; ++r) {
    raise_to_powers({features.row(r), features.cols}, degree, {powers.row(r), inputs});
  }
  return powers;
}

PolynomialNetwork PolynomialNetwork::initial(int features, int degree, std::size_t width,
                                             double scale, Prng& random) {
  FEDVS_CHECK(features >= 1 && degree >= 1, "a polynomial network needs features and a degree");
  PolynomialNetwork network;
  network.width = width;
  network.inputs = static_cast<std::size_t>(features) * static_cast<std::size_t>(degree) + 1;
  network.weights.resize(width * network.inputs);
  const double bound = scale / std::sqrt(static_cast<double>(features));
  for (float& w : network.weights) {
    w = static_cast<float>((2 * random.next_unit() - 1) * bound);
  }
  return network;
}

// Without its sign, the bit pattern of a float grows with its magnitude; no number is above all.
bool all_below(float limit, std::span<const float> weights) {
  const auto limit_bits = std::bit_cast<std::int32_t>(limit);
  std::int32_t beyond = 0;
  for (float w : weights) {
    beyond |= (std::bit_cast<std::int32_t>(w) & 0x7fffffff) >= limit_bits ? 1 : 0;
  }
  return beyond == 0;
}

}  // namespace fedvs::model
