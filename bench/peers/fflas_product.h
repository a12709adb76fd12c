// FFLAS-FFPACK: modular products through floating-point BLAS. The four byte planes of rns4, one
// product each; OPENBLAS_CORETYPE must be right before the program starts (scripts/bench).
#pragma once
#include <cstddef>
#include <memory>

namespace fedvs::peers {

class FflasProduct {  // rows x depth by depth x width, random
 public:
  FflasProduct(std::size_t rows, std::size_t depth, std::size_t width);
  ~FflasProduct();
  void run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fedvs::peers
