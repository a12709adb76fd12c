#include "fedvs/coding/interpolation.h"

namespace fedvs::coding {

using field::multiply;
using field::Residue;
using field::subtract;

LagrangeBasis::LagrangeBasis(std::span<const Residue> nodes, std::uint32_t prime)
    : nodes_(nodes.begin(), nodes.end()), prime_(prime) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Residue product = 1;
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      if (j != i) product = multiply(product, subtract(nodes_[i], nodes_[j], prime), prime);
    }
    weights_.push_back(field::inverse(product, prime));  // checks that nodes are distinct
  }
}

std::vector<Residue> LagrangeBasis::at(Residue y) const {
  std::vector<Residue> basis(nodes_.size());
  Residue before = 1;  // prod_{j < i} (y - node_j)
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    basis[i] = multiply(weights_[i], before, prime_);
    before = multiply(before, subtract(y, nodes_[i], prime_), prime_);
  }
  Residue after = 1;  // prod_{j > i} (y - node_j)
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    basis[i] = multiply(basis[i], after, prime_);
    after = multiply(after, subtract(y, nodes_[i], prime_), prime_);
  }
  return basis;
}

}  // namespace fedvs::coding
