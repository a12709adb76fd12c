// One recipient's share: a row of a code's matrix times the blocks.
#pragma once
#include <span>
#include <utility>
#include <vector>

#include "fedvs/field/combine.h"

namespace fedvs::protocol {

inline field::RingMatrix combine_row(const field::Coefficients& matrix, int recipient,
                                     std::span<const field::RingMatrix> blocks) {
  std::vector<const field::RingMatrix*> pointers;
  for (const auto& block : blocks) pointers.push_back(&block);
  return std::move(field::combine(matrix.row(recipient), pointers).front());
}

}  // namespace fedvs::protocol
