#pragma once
#include <cstddef>

#include "fedvs/field/ring_matrix.h"

namespace fedvs::measuring {

// The coded product of Eq. (5), rows x depth by depth x width, on random residues.
class ProductTrial {
 public:
  ProductTrial(const field::Ring& ring, std::size_t rows, std::size_t depth, std::size_t width);
  void run();
  double macs() const;  // multiply-adds over the whole ring

 private:
  std::size_t width_;
  field::RingMatrix x_, w_, out_;
};

}  // namespace fedvs::measuring
