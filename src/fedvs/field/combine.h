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
  std::span<const Residue> terms(int plane, int output) const;  // of all inputs
  Coefficients row(int output) const;                           // 1 x inputs
  Coefficients rows(std::span<const int> outputs) const;        // outputs.size() x inputs

 private:
  std::size_t index(int plane, int output, int input) const;
  Ring ring_;
  int outputs_, inputs_;
  std::vector<Residue> values_;
};

// Blocks are of one shape. outputs * inputs multiply-adds per element; threads share the elements.
std::vector<RingMatrix> combine(const Coefficients& coefficients,
                                std::span<const RingMatrix* const> blocks);
// The same into matrices that are there already, all of the blocks' shape. Allocates nothing.
void combine_into(const Coefficients& coefficients, std::span<const RingMatrix* const> blocks,
                  std::span<RingMatrix> outs);
// Into a part of larger matrices, from (first_row, first_col) on: replaces what is there, or adds
// to it. Nothing else of them changes.
struct Place {
  std::size_t row = 0, col = 0;
  bool add = false;
};
void combine_parts(const Coefficients& coefficients, std::span<const RingMatrix* const> blocks,
                   std::span<RingMatrix* const> outs, Place place = {});
// One output of them. `out` itself may be one of at most 16 blocks, at place (0, 0).
void combine_row(const Coefficients& coefficients, int output,
                 std::span<const RingMatrix* const> blocks, RingMatrix& out,
                 std::size_t first_row = 0, std::size_t first_col = 0, bool add = false);

}  // namespace fedvs::field
