// FLINT over 2^31 - 1, the strongest word-sized prime product that Debian has beside FFLAS-FFPACK.
#pragma once
#include <cstddef>
#include <memory>

namespace fedvs::peers {

class FlintProduct {  // rows x depth by depth x width, random
 public:
  FlintProduct(std::size_t rows, std::size_t depth, std::size_t width);
  ~FlintProduct();
  void run();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fedvs::peers
