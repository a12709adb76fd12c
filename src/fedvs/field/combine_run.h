// Cuts a combination into pieces that a kernel takes whole: planes, threads' shares of the
// elements, at most kTermsAtOnce inputs and kOutputsAtOnce outputs.
#pragma once
#include "fedvs/field/combine.h"

namespace fedvs::field {

class Targets {  // matrices in a row, or wherever pointers say
 public:
  explicit Targets(std::span<RingMatrix> matrices)
      : matrices_(matrices.data()), size_(matrices.size()) {}
  explicit Targets(std::span<RingMatrix* const> pointers)
      : pointers_(pointers.data()), size_(pointers.size()) {}
  std::size_t size() const { return size_; }
  RingMatrix& operator[](std::size_t o) const { return pointers_ ? *pointers_[o] : matrices_[o]; }

 private:
  RingMatrix* matrices_ = nullptr;
  RingMatrix* const* pointers_ = nullptr;
  std::size_t size_;
};

// Outputs first_output .. of the coefficients, one per target.
void run_combination(const Coefficients& coefficients, int first_output,
                     std::span<const RingMatrix* const> blocks, const Targets& targets,
                     Place place);

}  // namespace fedvs::field
