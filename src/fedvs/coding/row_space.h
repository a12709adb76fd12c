// The space that rows over one prime field span, row after row.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "fedvs/field/ring.h"

namespace fedvs::coding {

class RowSpace {
 public:
  RowSpace(std::size_t width, std::uint32_t prime);
  void clear() { rank_ = 0; }
  std::size_t rank() const { return rank_; }
  bool full() const { return rank_ == width_; }
  void add(std::span<const field::Residue> row);  // of `width`. O(rank * width).

 private:
  // row -= factor * basis row i
  void reduce(std::span<field::Residue> row, std::size_t i, field::Residue factor) const;
  field::Residue inverse(field::Residue a) const;

  std::size_t width_;
  std::uint32_t prime_;
  std::size_t rank_ = 0;
  std::vector<field::Residue> inverses_;  // of small primes
  std::vector<field::Residue> basis_;     // rank_ rows, each with a leading 1
  std::vector<std::size_t> leading_;      // where that is
};

}  // namespace fedvs::coding
