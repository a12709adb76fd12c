#include "fedvs/field/join.h"

#include <bit>

#include "fedvs/base/isa.h"

namespace fedvs::field {
namespace {

constexpr double kWhole = 0x1.8p52;  // whole numbers below 2^51 become the low bits of the sum
constexpr std::size_t kTile = 128;
constexpr std::size_t kPlanes = 4;  // taken together

// sum[e] += unit[i] * planes[i][e] for planes first .. first + 3; those past the last count zero.
FEDVS_INLINE void add_planes(const NarrowJoin& ring, const std::uint8_t* const* planes,
                             std::size_t first, std::size_t at, std::size_t count, double* sum) {
  const std::uint8_t* r[kPlanes];
  double unit[kPlanes];
  for (std::size_t i = 0; i < kPlanes; ++i) {
    const bool there = first + i < ring.planes;
    r[i] = planes[there ? first + i : 0] + at;
    unit[i] = there ? ring.unit[first + i] : 0.0;
  }
  for (std::size_t e = 0; e < count; ++e) {
    const double a = unit[0] * static_cast<std::int32_t>(r[0][e]);
    const double b = unit[1] * static_cast<std::int32_t>(r[1][e]);
    const double c = unit[2] * static_cast<std::int32_t>(r[2][e]);
    const double d = unit[3] * static_cast<std::int32_t>(r[3][e]);
    sum[e] += (a + b) + (c + d);
  }
}

// sum / M is at least 1/(2M) away from a tie, and sum * inverse is nearer to it than that (join.h):
// the nearest quotient is right, and leaves the centred remainder at once.
FEDVS_INLINE void centre(const NarrowJoin& ring, const double* sum, std::size_t count,
                         std::int64_t* out) {
  const double modulus = ring.modulus, inverse = 1.0 / modulus;
  for (std::size_t e = 0; e < count; ++e) {
    const double quotient = (sum[e] * inverse + kWhole) - kWhole;
    const double rest = sum[e] - quotient * modulus;
    out[e] = std::bit_cast<std::int64_t>(rest + kWhole) - std::bit_cast<std::int64_t>(kWhole);
  }
}

FEDVS_INLINE void join(const NarrowJoin& ring, const std::uint8_t* const* planes, std::size_t count,
                       std::int64_t* out) {
  for (std::size_t at = 0; at < count; at += kTile) {
    const std::size_t width = count - at < kTile ? count - at : kTile;
    alignas(64) double sum[kTile] = {};
    for (std::size_t i = 0; i < ring.planes; i += kPlanes) {
      add_planes(ring, planes, i, at, width, sum);
    }
    centre(ring, sum, width, out + at);
  }
}

}  // namespace

void join_narrow_portable(const NarrowJoin& ring, const std::uint8_t* const* planes,
                          std::size_t count, std::int64_t* out) {
  join(ring, planes, count, out);
}

FEDVS_TARGET_AVX2 void join_narrow_avx2(const NarrowJoin& ring, const std::uint8_t* const* planes,
                                        std::size_t count, std::int64_t* out) {
  join(ring, planes, count, out);
}

FEDVS_TARGET_AVX512 void join_narrow_avx512(const NarrowJoin& ring,
                                            const std::uint8_t* const* planes, std::size_t count,
                                            std::int64_t* out) {
  join(ring, planes, count, out);
}

}  // namespace fedvs::field
