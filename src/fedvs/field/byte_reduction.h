// Constants that take a 32-bit sum to its residue modulo a byte prime without a division: the four
// bytes of the sum times weights, twice, and then a quotient by multiplication.
#pragma once
#include <cstdint>

namespace fedvs::field {

struct ByteReduction {
  std::uint32_t weights;         // bytes: 1, 2^8, 2^16, 2^24 modulo p, in (-p/2, p/2)
  std::uint32_t bias18, bias16;  // multiples of p that keep sums of weighted bytes positive
  std::uint32_t quotient;        // floor(2^16 / p)
  std::uint32_t prime;
};

constexpr ByteReduction byte_reduction(std::uint32_t prime) {
  const auto weight = [prime](unsigned byte) {
    const std::uint32_t rest = (std::uint32_t{1} << (8 * byte)) % prime;
    const std::uint32_t balanced = rest > prime / 2 ? rest - prime : rest;
    return (balanced & 255u) << (8 * byte);
  };
  const auto multiple_from = [prime](std::uint32_t least) {
    return (least + prime - 1) / prime * prime;
  };
  return {.weights = weight(0) | weight(1) | weight(2) | weight(3),
          .bias18 = multiple_from(3 * 255 * 125),    // three weights of at most 125
          .bias16 = multiple_from((255 + 3) * 125),  // the third byte is at most 3 by now
          .quotient = 65536 / prime,
          .prime = prime};
}

}  // namespace fedvs::field
