// The code over one tiny prime, value by value, so that all masks can be tried.
#pragma once
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "fedvs/coding/encoder.h"

namespace fedvs::testing {

using Values = std::vector<field::Residue>;

inline coding::LagrangeCode tiny_code(std::uint32_t prime, coding::Shape shape) {
  return coding::LagrangeCode::create(field::Ring::of_primes("tiny", {prime}), shape).value();
}

inline Values plus(const Values& a, const Values& b, std::uint32_t p) {
  Values sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(field::add(a[i], b[i], p));
  return sum;
}

inline Values times(const Values& a, const Values& b, std::uint32_t p) {
  Values product;
  for (std::size_t i = 0; i < a.size(); ++i) product.push_back(field::multiply(a[i], b[i], p));
  return product;
}

// A vector of residues as a number, and back.
inline std::size_t to_index(const Values& values, std::size_t p) {
  std::size_t index = 0;
  for (field::Residue value : values) index = index * p + value;
  return index;
}

inline Values from_index(std::size_t index, std::size_t digits, std::size_t p) {
  Values values(digits);
  for (std::size_t i = digits; i-- > 0; index /= p) {
    values[i] = static_cast<field::Residue>(index % p);
  }
  return values;
}

// The shares of all parties under every value of the terms: a column each, at its index.
inline std::vector<field::RingMatrix> all_shares(const coding::LagrangeCode& code,
                                                 coding::Polynomial polynomial) {
  const std::size_t p = code.ring().prime(0);
  const auto count = static_cast<std::size_t>(matrix_of(code, polynomial).inputs());
  std::size_t values = 1;
  for (std::size_t i = 0; i < count; ++i) values *= p;
  std::vector<field::RingMatrix> terms;
  for (std::size_t i = 0; i < count; ++i) {
    terms.emplace_back(code.ring(), 1, values);
    for (std::size_t c = 0; c < values; ++c) terms[i].set(0, 0, c, from_index(c, count, p)[i]);
  }
  std::vector<const field::RingMatrix*> pointers;
  for (const auto& term : terms) pointers.push_back(&term);
  return encode(code, polynomial, pointers);
}

// The shares of all parties of (secrets, then masks), by the encoder that ships.
inline Values shares(const coding::LagrangeCode& code, coding::Polynomial polynomial,
                     const Values& terms) {
  const auto& [parties, blocks, colluding] = code.shape();
  const std::uint32_t p = code.ring().prime(0);
  static std::map<std::tuple<std::uint32_t, int, int, int, coding::Polynomial>,
                  std::vector<field::RingMatrix>>
      tables;
  auto& table = tables[{p, parties, blocks, colluding, polynomial}];
  if (table.empty()) table = all_shares(code, polynomial);
  Values out;
  for (const auto& share : table) out.push_back(share.get(0, 0, to_index(terms, p)));
  return out;
}

}  // namespace fedvs::testing
