// The Chinese remainder theorem on long arrays: residues of byte planes to centred integers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fedvs::field {

inline constexpr std::size_t kJoinedPlanes = 8;

// For rings with 2 M Q < 2^52, Q = 250 * planes: rns4 and rns5. Sums of residue * unit are below
// Q M, so doubles hold them exactly; dividing them by M is off by Q / 2^52 < 1 / (2M) at most.
inline constexpr double kNarrowJoin = 0x1p52;
struct NarrowJoin {
  std::size_t planes;
  double modulus;              // M
  double unit[kJoinedPlanes];  // 1 in its plane, 0 in the others; below M
};

// out[e] is the integer in [-(M-1)/2, (M-1)/2] whose residue in plane i is planes[i][e].
void join_narrow_portable(const NarrowJoin& ring, const std::uint8_t* const* planes,
                          std::size_t count, std::int64_t* out);
void join_narrow_avx2(const NarrowJoin& ring, const std::uint8_t* const* planes, std::size_t count,
                      std::int64_t* out);
void join_narrow_avx512(const NarrowJoin& ring, const std::uint8_t* const* planes,
                        std::size_t count, std::int64_t* out);

}  // namespace fedvs::field
