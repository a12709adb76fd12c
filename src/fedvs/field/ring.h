// The ring of all coded arithmetic: a list of prime fields ("planes"), worked on one by one and put
// together by the Chinese remainder theorem only where a result is opened.
//   m31           one plane, 2^31 - 1: the paper's own setting; 4 bytes per element
//   rns4 .. rns8  byte planes 251 241 239 233 | 229 227 223 211; 4 .. 8 bytes per element
// M is the product of the primes; integers in [-(M-1)/2, (M-1)/2] survive a round trip.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::field {

using Residue = std::uint32_t;  // a value in [0, prime) of some plane

class Ring {
 public:
  static Result<Ring> create(std::string_view name);  // kBadJob for an unknown name
  static Ring of_primes(std::string name, std::vector<std::uint32_t> primes);  // tests: tiny primes
  static const std::vector<std::string>& names();

  const std::string& name() const { return name_; }
  int planes() const { return static_cast<int>(primes_.size()); }
  std::uint32_t prime(int plane) const { return primes_[static_cast<std::size_t>(plane)]; }
  int word_bytes() const { return word_bytes_; }  // of one plane: 1, or 4 for m31
  int bytes_per_element() const { return planes() * word_bytes_; }
  std::uint64_t modulus() const { return modulus_; }        // M
  std::uint32_t points() const { return smallest_prime_; }  // N + K + T may not exceed it
  // Below M, 1 modulo this plane's prime and 0 modulo the others: what joins planes.
  std::uint64_t unit(int plane) const { return crt_[static_cast<std::size_t>(plane)]; }
  double bits() const;  // log2 M
  bool operator==(const Ring& other) const {
    return this == &other || primes_ == other.primes_;  // matrices mostly share one
  }

  Residue residue(std::int64_t value, int plane) const;  // phi: negatives map to prime + value
  // The integer in [-(M-1)/2, (M-1)/2] with these residues, one per plane.
  std::int64_t integer(std::span<const Residue> residues) const;

 private:
  Ring(std::string name, std::vector<std::uint32_t> primes);
  std::string name_;
  std::vector<std::uint32_t> primes_;
  std::vector<std::uint64_t> crt_;  // (M / p) * ((M / p)^-1 mod p), per plane
  std::uint64_t modulus_;
  std::uint32_t smallest_prime_;
  int word_bytes_;
};

// Modular arithmetic on single residues, for small matrices of coefficients.
Residue add(Residue a, Residue b, std::uint32_t prime);
Residue subtract(Residue a, Residue b, std::uint32_t prime);
Residue multiply(Residue a, Residue b, std::uint32_t prime);
Residue power(Residue base, std::uint64_t exponent, std::uint32_t prime);
Residue inverse(Residue a, std::uint32_t prime);  // a != 0

}  // namespace fedvs::field
