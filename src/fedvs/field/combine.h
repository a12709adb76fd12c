// A small matrix of coefficients times a tall stack of blocks: what encoding, dealing and decoding
// all are. out[o] = sum_i coefficient(plane, o, i) * in[i], element by element.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fedvs/field/ring_matrix.h"

namespace fedvs::field {

class Coefficients {  // one outputs x inputs matrix of residues per plane
 public:
  Coefficients(const Ring& ring, int outputs, int inputs);
  int outputs() const { return outputs_; }
  int inputs() const { return inputs_; }
  const Ring& ring() const { return ring_; }
  Residue& at(int plane, int output, int input);
  Residue at(int plane, int output, int input) const;
  Coefficients row(int output) const;  // 1 x inputs

 private:
  std::size_t index(int plane, int output, int input) const;
  Ring ring_;
  int outputs_, inputs_;
  std::vector<Residue> values_;
};

// Blocks are of one shape. outputs * inputs multiply-adds per element; threads share the elements.
std::vector<RingMatrix> combine(const Coefficients& coefficients,
                                std::span<const RingMatrix* const> blocks);

}  // namespace fedvs::field
