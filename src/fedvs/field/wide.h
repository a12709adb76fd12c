// Integers wider than the standard's, and the one prime that is not a byte.
#pragma once
#include <cstdint>

namespace fedvs::field {

__extension__ using u128 = unsigned __int128;

inline constexpr std::uint32_t kMersenne31 = 0x7fffffff;

// Below 2^31 + 2^33, and congruent to `value` modulo 2^31 - 1.
inline std::uint64_t fold_m31(std::uint64_t value) { return (value & kMersenne31) + (value >> 31); }

}  // namespace fedvs::field
