// Berlekamp-Welch over one prime field: the wrong values of a polynomial.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fedvs/field/ring.h"

namespace fedvs::coding {

// Indices i with values[i] != f(points[i]), for the one f of degree < terms that differs in at most
// `errors` places; nothing if there is none. points are distinct, at least terms + 2 errors of
// them. O(points^3).
std::optional<std::vector<std::size_t>> wrong_values(std::span<const field::Residue> points,
                                                     std::span<const field::Residue> values,
                                                     std::size_t terms, std::size_t errors,
                                                     std::uint32_t prime);

}  // namespace fedvs::coding
