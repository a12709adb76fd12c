#include "fedvs/field/reduce.h"

#include "fedvs/field/wide.h"

namespace fedvs::field {

void reduce_floats(std::span<const float> values, std::uint32_t prime, std::uint8_t* out) {
  const auto p = static_cast<std::int32_t>(prime);
  const float p_float = static_cast<float>(prime), inverse = 1.0f / p_float;
  const float* in = values.data();
  for (std::size_t i = 0, count = values.size(); i < count; ++i) {
    // The quotient is off by at most one; the difference is exact, in [-p, 2p).
    const float quotient = static_cast<float>(static_cast<std::int32_t>(in[i] * inverse));
    std::int32_t rest = static_cast<std::int32_t>(in[i] - quotient * p_float);
    rest += p & (rest >> 31);
    rest -= p;
    rest += p & (rest >> 31);
    out[i] = static_cast<std::uint8_t>(rest);
  }
}

void reduce_integers(std::span<const std::int32_t> values, std::uint32_t prime, std::uint8_t* out) {
  const double p = static_cast<double>(prime), inverse = 1.0 / p;
  const std::int32_t* in = values.data();
  for (std::size_t i = 0, count = values.size(); i < count; ++i) {
    // As above; doubles hold every 32-bit integer. Truncation leaves negatives in (-2p, p).
    const double value = static_cast<double>(in[i]);
    const double quotient = static_cast<double>(static_cast<std::int32_t>(value * inverse));
    std::int32_t rest = static_cast<std::int32_t>(value - quotient * p);
    const auto shift = static_cast<std::int32_t>(prime);
    rest += shift & (rest >> 31);
    rest += shift & (rest >> 31);
    rest -= shift;
    rest += shift & (rest >> 31);
    out[i] = static_cast<std::uint8_t>(rest);
  }
}

void reduce_integers_m31(std::span<const std::int32_t> values, std::uint32_t* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value = values[i];
    const std::int64_t lifted = value + 2 * std::int64_t{kMersenne31};  // in [2^31 - 2, 2^33)
    std::uint64_t rest = fold_m31(static_cast<std::uint64_t>(lifted));
    rest = rest >= kMersenne31 ? rest - kMersenne31 : rest;
    out[i] = static_cast<std::uint32_t>(rest);
  }
}

}  // namespace fedvs::field
