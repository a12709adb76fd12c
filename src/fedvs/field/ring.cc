#include "fedvs/field/ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fedvs/base/suggest.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

constexpr std::array<std::uint32_t, 8> kBytePrimes{251, 241, 239, 233, 229, 227, 223, 211};
// While M is below this, a sum of residue * crt_ over 8 planes fits 64 bits: 8 * 250 * 2^53 < 2^64.
constexpr std::uint64_t kNarrowModulus = std::uint64_t{1} << 53;

int word_bytes_of(const std::vector<std::uint32_t>& primes) {
  const bool bytes = std::all_of(primes.begin(), primes.end(), [](auto p) { return p <= 251; });
  FEDVS_CHECK(bytes || (primes.size() == 1 && primes[0] == kMersenne31),
              "planes are byte primes, or 2^31 - 1 alone");
  return bytes ? 1 : 4;
}

std::uint64_t product(const std::vector<std::uint32_t>& primes) {
  u128 modulus = 1;
  for (std::uint32_t prime : primes) modulus *= prime;
  FEDVS_CHECK(!primes.empty() && modulus % 2 == 1 && modulus < u128{1} << 63,
              "a ring is at least one odd prime, and M is below 2^63");
  return static_cast<std::uint64_t>(modulus);
}

}  // namespace

Ring::Ring(std::string name, std::vector<std::uint32_t> primes)
    : name_(std::move(name)),
      primes_(std::move(primes)),
      modulus_(product(primes_)),
      smallest_prime_(*std::min_element(primes_.begin(), primes_.end())),
      word_bytes_(word_bytes_of(primes_)) {
  for (std::uint32_t prime : primes_) {
    const std::uint64_t others = modulus_ / prime;
    const auto others_mod = static_cast<Residue>(others % prime);
    FEDVS_CHECK(others_mod != 0, "the primes of a ring are distinct");
    crt_.push_back(others * inverse(others_mod, prime));  // below M
  }
}

Ring Ring::of_primes(std::string name, std::vector<std::uint32_t> primes) {
  return {std::move(name), std::move(primes)};
}

const std::vector<std::string>& Ring::names() {
  static const std::vector<std::string> kNames{"m31", "rns4", "rns5", "rns6", "rns7", "rns8"};
  return kNames;
}

Result<Ring> Ring::create(std::string_view name) {
  if (name == "m31") return Ring("m31", {kMersenne31});
  const auto known = std::find(names().begin(), names().end(), name);
  if (known != names().end()) {
    const auto planes = static_cast<std::size_t>(name.back() - '0');
    return Ring(std::string(name), {kBytePrimes.begin(), kBytePrimes.begin() + planes});
  }
  const std::string close = nearest(name, names());
  return Error{ErrorCode::kBadJob,
               fmt::format("no ring is called \"{}\"{}; the rings are m31 and rns4 to rns8", name,
                           close.empty() ? "" : fmt::format(" (did you mean {}?)", close))};
}

double Ring::bits() const { return std::log2(static_cast<double>(modulus_)); }

Residue Ring::residue(std::int64_t value, int plane) const {
  const auto p = static_cast<std::int64_t>(prime(plane));
  const std::int64_t remainder = value % p;
  return static_cast<Residue>(remainder < 0 ? remainder + p : remainder);
}

std::int64_t Ring::integer(std::span<const Residue> residues) const {
  std::uint64_t value;
  if (modulus_ < kNarrowModulus) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) sum += crt_[i] * residues[i];
    value = sum % modulus_;
  } else {
    u128 sum = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) sum += u128{crt_[i]} * residues[i];
    value = static_cast<std::uint64_t>(sum % modulus_);
  }
  const auto centred = static_cast<std::int64_t>(value);
  return value > (modulus_ - 1) / 2 ? centred - static_cast<std::int64_t>(modulus_) : centred;
}

Residue add(Residue a, Residue b, std::uint32_t prime) {
  const std::uint32_t sum = a + b;  // primes are below 2^31
  return sum >= prime ? sum - prime : sum;
}

Residue subtract(Residue a, Residue b, std::uint32_t prime) {
  return a >= b ? a - b : a + prime - b;
}

Residue multiply(Residue a, Residue b, std::uint32_t prime) {
  return static_cast<Residue>(std::uint64_t{a} * b % prime);
}

Residue power(Residue base, std::uint64_t exponent, std::uint32_t prime) {
  Residue result = 1 % prime;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base, prime);
    base = multiply(base, base, prime);
  }
  return result;
}

Residue inverse(Residue a, std::uint32_t prime) {
  FEDVS_CHECK(a % prime != 0, "zero has no inverse");
  return power(a, prime - 2, prime);
}

}  // namespace fedvs::field
