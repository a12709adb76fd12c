#include "fedvs/quant/fixed_point.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "fedvs/base/check.h"
#include "fedvs/base/isa.h"
#include "fedvs/base/wipe.h"
#include "fedvs/field/kernel.h"

namespace fedvs::quant {
namespace {

constexpr std::size_t kTile = 1024;
constexpr double kSafe = 0x1p31 - 2;  // floor and floor + 1 fit 32 bits for sure

using Draws = std::array<std::uint64_t, kTile>;

std::int32_t checked(double integer) {
  FEDVS_CHECK(std::abs(integer) < 0x1p31, "a fixed-point value must fit 32 bits");
  return static_cast<std::int32_t>(integer);
}

// The top 53 bits as a double, exactly; bit by bit, since only AVX-512 converts 64-bit integers.
FEDVS_INLINE double top_bits(std::uint64_t draw) {
  const std::uint64_t high = draw >> 43, low = draw >> 11 & 0xffffffff;
  const double above = std::bit_cast<double>(high | 0x4530000000000000) - (0x1p84 + 0x1p52);
  return above + std::bit_cast<double>(low | 0x4330000000000000);
}

// Returns whether all are within kSafe; if not, what is written is not to be used.
FEDVS_INLINE bool round_tile(const float* x, std::size_t count, double scale, const Draws& draws,
                             std::int32_t* out) {
  std::int32_t unsafe = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double scaled = scale * static_cast<double>(x[i]);
    const bool safe = std::abs(scaled) <= kSafe;  // false for NaN
    unsafe |= safe ? 0 : 1;
    const auto toward_zero = static_cast<std::int32_t>(safe ? scaled : 0.0);
    const double whole = static_cast<double>(toward_zero);
    const std::int32_t floor = toward_zero - (whole > scaled ? 1 : 0);
    const double fraction = scaled - static_cast<double>(floor);
    out[i] = floor + (top_bits(draws[i]) * 0x1p-53 < fraction ? 1 : 0);
  }
  return unsafe == 0;
}

using RoundTile = bool (*)(const float*, std::size_t, double, const Draws&, std::int32_t*);
bool round_portable(const float* x, std::size_t count, double scale, const Draws& draws,
                    std::int32_t* out) {
  return round_tile(x, count, scale, draws, out);
}
FEDVS_TARGET_AVX2 bool round_avx2(const float* x, std::size_t count, double scale,
                                  const Draws& draws, std::int32_t* out) {
  return round_tile(x, count, scale, draws, out);
}
FEDVS_TARGET_AVX512 bool round_avx512(const float* x, std::size_t count, double scale,
                                      const Draws& draws, std::int32_t* out) {
  return round_tile(x, count, scale, draws, out);
}

RoundTile active_round() {
  const field::Kernel kernel = field::active_kernel();
  if (kernel >= field::Kernel::kVnni) return &round_avx512;
  return kernel == field::Kernel::kAvx2 ? &round_avx2 : &round_portable;
}

// Next to the ends of the range, or past them: one by one, with a check.
void round_checked(std::span<const float> x, double scale, const Draws& draws, std::int32_t* out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = scale * static_cast<double>(x[i]), below = std::floor(scaled);
    out[i] = checked(below + (top_bits(draws[i]) * 0x1p-53 < scaled - below ? 1 : 0));
  }
}

FEDVS_INLINE void to_reals(const std::int64_t* sums, std::size_t count, double scale, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(scale * static_cast<double>(sums[i]));
  }
}

FEDVS_TARGET_AVX512 void to_reals_avx512(const std::int64_t* sums, std::size_t count, double scale,
                                         float* out) {
  to_reals(sums, count, scale, out);
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
  const RoundTile round = active_round();
  Draws draws;
  for (std::size_t first = 0; first < x.size(); first += kTile) {
    const auto tile = x.subspan(first, std::min(kTile, x.size() - first));
    rounding.fill({reinterpret_cast<std::uint8_t*>(draws.data()), tile.size() * sizeof(draws[0])});
    if (!round(tile.data(), tile.size(), scale, draws, &out[first])) {
      round_checked(tile, scale, draws, &out[first]);
    }
  }
  wipe(std::span(draws).first(std::min(kTile, x.size())));  // with the result they give x away
}

void dequantise(std::span<const std::int64_t> sums, int bits, int parties, std::span<float> out) {
  FEDVS_CHECK(sums.size() == out.size() && parties >= 1, "one real per sum, of N >= 1 clients");
  const double scale = std::ldexp(1.0, -bits) / parties;
  const bool avx512 = field::active_kernel() >= field::Kernel::kVnni;
  return avx512 ? to_reals_avx512(sums.data(), sums.size(), scale, out.data())
                : to_reals(sums.data(), sums.size(), scale, out.data());
}

}  // namespace fedvs::quant
