// Lagrange's basis polynomials over one prime field.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fedvs/field/ring.h"

namespace fedvs::coding {

class LagrangeBasis {
 public:
  // Distinct nodes modulo prime. O(nodes^2).
  LagrangeBasis(std::span<const field::Residue> nodes, std::uint32_t prime);
  // L_i(y) for every node i, so that f(y) = sum_i L_i(y) f(node_i). O(nodes), y may be a node.
  std::vector<field::Residue> at(field::Residue y) const;

 private:
  std::vector<field::Residue> nodes_;
  std::vector<field::Residue> weights_;  // 1 / prod_{j != i} (node_i - node_j)
  std::uint32_t prime_;
};

}  // namespace fedvs::coding
