// Rings, matrices and seeded secrets for tests.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/field/ring_matrix.h"

namespace fedvs::testing {

inline Prng seeded(std::uint64_t seed) {
  Key256 key{};
  for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<std::uint8_t>(seed >> (8 * i));
  return Prng(key);
}

inline field::Ring ring(std::string_view name) { return field::Ring::create(name).value(); }

inline std::vector<field::Ring> all_rings() {
  std::vector<field::Ring> rings;
  for (const std::string& name : field::Ring::names()) rings.push_back(ring(name));
  return rings;
}

inline std::vector<field::RingMatrix> random_matrices(const field::Ring& ring, std::size_t count,
                                                      std::size_t rows, std::size_t cols,
                                                      Prng& random) {
  std::vector<field::RingMatrix> matrices;
  for (std::size_t i = 0; i < count; ++i) {
    matrices.push_back(field::uniform(ring, rows, cols, random));
  }
  return matrices;
}

// Every element prime - 1 in every plane: what comes nearest to overflow.
inline field::RingMatrix largest_residues(const field::Ring& ring, std::size_t rows,
                                          std::size_t cols) {
  field::RingMatrix matrix(ring, rows, cols);
  for (int plane = 0; plane < ring.planes(); ++plane) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) matrix.set(plane, r, c, ring.prime(plane) - 1);
    }
  }
  return matrix;
}

inline std::vector<const field::RingMatrix*> pointers(std::span<const field::RingMatrix> matrices) {
  std::vector<const field::RingMatrix*> out;
  for (const field::RingMatrix& matrix : matrices) out.push_back(&matrix);
  return out;
}

// All subsets of {0 .. total-1} of `size`, each ascending.
inline std::vector<std::vector<int>> subsets(int total, int size) {
  std::vector<std::vector<int>> found;
  std::vector<bool> chosen(static_cast<std::size_t>(total), false);
  std::fill(chosen.begin(), chosen.begin() + size, true);
  do {
    std::vector<int> subset;
    for (int i = 0; i < total; ++i) {
      if (chosen[static_cast<std::size_t>(i)]) subset.push_back(i);
    }
    found.push_back(std::move(subset));
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return found;
}

}  // namespace fedvs::testing
