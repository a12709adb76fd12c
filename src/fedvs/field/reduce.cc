#include "fedvs/field/reduce.h"

#include "fedvs/base/isa.h"
#include "fedvs/field/kernel.h"
#include "fedvs/field/reduce_vnni.h"
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

namespace {

template <class Integer>
FEDVS_INLINE void by_doubles(const Integer* in, std::size_t count, std::uint32_t prime,
                             std::uint8_t* out) {
  const double p = static_cast<double>(prime), inverse = 1.0 / p;
  const auto shift = static_cast<std::int32_t>(prime);
  for (std::size_t i = 0; i < count; ++i) {
    // As above; doubles hold every 32-bit integer. Truncation leaves negatives in (-2p, p).
    const double value = static_cast<double>(in[i]);
    const double quotient = static_cast<double>(static_cast<std::int32_t>(value * inverse));
    std::int32_t rest = static_cast<std::int32_t>(value - quotient * p);
    rest += shift & (rest >> 31);
    rest += shift & (rest >> 31);
    rest -= shift;
    rest += shift & (rest >> 31);
    out[i] = static_cast<std::uint8_t>(rest);
  }
}

template <class Integer>
FEDVS_TARGET_AVX2 void by_doubles_avx2(const Integer* in, std::size_t count, std::uint32_t prime,
                                       std::uint8_t* out) {
  by_doubles(in, count, prime, out);
}

template <class Integer>
FEDVS_INLINE void to_m31(const Integer* in, std::size_t count, std::uint32_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    // -2^31 is congruent to -1, the least that 32 bits hold; p - 1 is what it becomes.
    const auto bits = static_cast<std::uint32_t>(std::int32_t{in[i]});
    const std::uint32_t lifted = bits + (kMersenne31 & (0u - (bits >> 31)));
    const std::uint32_t once = lifted == 0xffffffffu ? kMersenne31 - 1 : lifted;
    out[i] = once == kMersenne31 ? 0 : once;
  }
}

template <class Integer>
FEDVS_TARGET_AVX2 void to_m31_avx2(const Integer* in, std::size_t count, std::uint32_t* out) {
  to_m31(in, count, out);
}

template <class Integer>
void reduce(std::span<const Integer> values, std::uint32_t prime, std::uint8_t* out) {
  const Kernel kernel = active_kernel();
  if (kernel >= Kernel::kVnni && prime > 128) {
    reduce_integers_vnni(values.data(), values.size(), byte_prime(prime), out);
  } else if (kernel >= Kernel::kAvx2) {
    by_doubles_avx2(values.data(), values.size(), prime, out);
  } else {
    by_doubles(values.data(), values.size(), prime, out);
  }
}

template <class Integer>
void reduce_m31(std::span<const Integer> values, std::uint32_t* out) {
  const bool avx2 = active_kernel() >= Kernel::kAvx2;
  return avx2 ? to_m31_avx2(values.data(), values.size(), out)
              : to_m31(values.data(), values.size(), out);
}

}  // namespace

void reduce_integers(std::span<const std::int32_t> values, std::uint32_t prime, std::uint8_t* out) {
  reduce(values, prime, out);
}

void reduce_integers(std::span<const std::int16_t> values, std::uint32_t prime, std::uint8_t* out) {
  reduce(values, prime, out);
}

void reduce_integers_m31(std::span<const std::int32_t> values, std::uint32_t* out) {
  reduce_m31(values, out);
}

void reduce_integers_m31(std::span<const std::int16_t> values, std::uint32_t* out) {
  reduce_m31(values, out);
}

}  // namespace fedvs::field
