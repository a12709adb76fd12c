#include "fedvs/quant/fixed_point.h"

#include <cmath>

#include "fedvs/base/check.h"

namespace fedvs::quant {
namespace {

std::int32_t checked(double integer) {
  FEDVS_CHECK(std::abs(integer) < 0x1p31, "a fixed-point value must fit 32 bits");
  return static_cast<std::int32_t>(integer);
}

}  // namespace

std::int32_t round_half_up(double x, int bits) {
  const double scaled = std::ldexp(x, bits), below = std::floor(scaled);
  return checked(scaled - below >= 0.5 ? below + 1 : below);  // floor(x + 0.5) would round twice
}

void round_stochastic(std::span<const float> x, int bits, Prng& rounding,
                      std::span<std::int32_t> out) {
  FEDVS_CHECK(x.size() == out.size(), "one integer per real");
  const double scale = std::ldexp(1.0, bits);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = scale * static_cast<double>(x[i]), below = std::floor(scaled);
    out[i] = checked(below + (rounding.next_unit() < scaled - below ? 1 : 0));
  }
}

void dequantise(std::span<const std::int64_t> sums, int bits, int parties, std::span<float> out) {
  FEDVS_CHECK(sums.size() == out.size() && parties >= 1, "one real per sum, of N >= 1 clients");
  const double scale = std::ldexp(1.0, -bits) / parties;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    out[i] = static_cast<float>(scale * static_cast<double>(sums[i]));
  }
}

}  // namespace fedvs::quant
