#include "fedvs/experiments/measuring/product_trial.h"

#include "fedvs/field/panels.h"
#include "fedvs/field/product.h"

namespace fedvs::measuring {
namespace {

field::RingMatrix random_matrix(const field::Ring& ring, std::size_t rows, std::size_t cols) {
  Prng random(Key256{7});
  return field::uniform(ring, rows, cols, random);
}

}  // namespace

ProductTrial::ProductTrial(const field::Ring& ring, std::size_t rows, std::size_t depth,
                           std::size_t width)
    : width_(width),
      x_(random_matrix(ring, rows, depth)),
      w_(random_matrix(ring, field::panel_rows(width), field::panel_cols(depth))),
      out_(ring, rows, width) {}

void ProductTrial::run() { field::multiply(x_, w_, width_, out_); }

double ProductTrial::macs() const {
  return static_cast<double>(x_.rows()) * static_cast<double>(x_.cols()) *
         static_cast<double>(width_);
}

}  // namespace fedvs::measuring
