// A sum S in [0, 2^22) to a residue modulo a byte prime p by one product and one look-up:
//   t = S * spread mod 2^32 >> 24,   t - less[t >> 1] = S / scale mod p
// spread = (k 2^32 + 1) / p with k = -2^-32 = 1 / scale mod p, so S * spread / 2^32 = k S / p plus
// S / (p 2^32). Its fraction lies less than 2^-8 / p above r / p, r = k S mod p: t = floor(256 r /
// p) exactly. t grows with r by 1, or by 2 where it skips a value: t - r depends on t >> 1 only.
#pragma once
#include <cstdint>

namespace fedvs::field {

struct ByteLookup {
  std::uint32_t spread;
  std::int32_t scale;  // in (-p/2, p/2): for the factors of S, so that it falls out
  alignas(64) std::uint8_t less[128];
};
const ByteLookup& byte_lookup(std::uint32_t prime);  // a prime in (128, 256)

}  // namespace fedvs::field
