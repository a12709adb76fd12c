// The code over one tiny prime, value by value, so that all masks can be tried.
#pragma once
#include <span>
#include <vector>

#include "fedvs/coding/lagrange.h"

namespace fedvs::testing {

using Values = std::vector<field::Residue>;

inline coding::LagrangeCode tiny_code(std::uint32_t prime, coding::Shape shape) {
  return coding::LagrangeCode::create(field::Ring::of_primes("tiny", {prime}), shape).value();
}

// The shares of all parties: the real matrix times (secrets, then masks).
inline Values shares(const field::Coefficients& matrix, std::span<const field::Residue> terms) {
  const std::uint32_t p = matrix.ring().prime(0);
  Values out;
  for (int party = 0; party < matrix.outputs(); ++party) {
    field::Residue sum = 0;
    for (int i = 0; i < matrix.inputs(); ++i) {
      const auto term = terms[static_cast<std::size_t>(i)];
      sum = field::add(sum, field::multiply(matrix.at(0, party, i), term, p), p);
    }
    out.push_back(sum);
  }
  return out;
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

}  // namespace fedvs::testing
