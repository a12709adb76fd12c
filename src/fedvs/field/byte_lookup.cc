#include "fedvs/field/byte_lookup.h"

#include <array>

namespace fedvs::field {
namespace {

constexpr std::uint32_t kFirst = 129, kEnd = 256;

constexpr std::int32_t scale_of(std::uint32_t prime) {
  const auto negated = static_cast<std::int32_t>((std::uint64_t{1} << 32) % prime);  // of -2^32
  const auto p = static_cast<std::int32_t>(prime);
  return negated > p / 2 ? p - negated : -negated;
}

constexpr std::uint32_t spread_of(std::uint32_t prime) {
  for (std::uint64_t k = 1; k < prime; ++k) {
    const std::uint64_t above = (k << 32) + 1;
    if (above % prime == 0) return static_cast<std::uint32_t>(above / prime);
  }
  return 0;  // of an even number
}

constexpr ByteLookup lookup_of(std::uint32_t prime) {
  ByteLookup made{spread_of(prime), scale_of(prime), {}};
  for (std::uint32_t r = 0; r < prime; ++r) {
    const std::uint32_t t = 256 * r / prime;
    made.less[t >> 1] = static_cast<std::uint8_t>(t - r);
  }
  return made;
}

constexpr auto kLookups = [] {
  std::array<ByteLookup, kEnd - kFirst> all{};
  for (std::uint32_t p = kFirst; p < kEnd; ++p) all[p - kFirst] = lookup_of(p);
  return all;
}();

constexpr std::uint32_t looked_up(const ByteLookup& lookup, std::uint32_t sum) {
  const std::uint32_t t = sum * lookup.spread >> 24;
  return t - lookup.less[t >> 1];
}

// Of a class of sums the least and the greatest: what is left of the product grows between them.
constexpr bool holds(const ByteLookup& lookup, std::uint32_t prime) {
  constexpr std::uint32_t kSums = 1u << 22;
  const auto p = static_cast<std::int32_t>(prime);
  for (std::int32_t r = 0; r < p; ++r) {
    const auto least = static_cast<std::uint32_t>((r * lookup.scale % p + p) % p);
    const std::uint32_t greatest = (kSums - 1 - least) / prime * prime + least;
    if (looked_up(lookup, least) != static_cast<std::uint32_t>(r)) return false;
    if (looked_up(lookup, greatest) != static_cast<std::uint32_t>(r)) return false;
  }
  return true;
}

constexpr bool all_hold() {
  for (std::uint32_t p = kFirst; p < kEnd; p += 2) {
    if (!holds(kLookups[p - kFirst], p)) return false;
  }
  return true;
}
static_assert(all_hold());

}  // namespace

const ByteLookup& byte_lookup(std::uint32_t prime) { return kLookups[prime - kFirst]; }

}  // namespace fedvs::field
