// A client's polynomial network, Eq. (1): h = sum_i x^i W^i + b, x^i element-wise. With the powers
// and one 1 side by side in a row x^ of p = d D + 1 numbers, it is the product x^ W.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/data/dataset.h"

namespace fedvs::model {

// (x^1, ..., x^D, 1) of one row, and of every row.
void raise_to_powers(std::span<const float> x, int degree, std::span<float> powers);
data::Table raise_to_powers(const data::Table& features, int degree);

struct PolynomialNetwork {
  std::size_t width = 0;       // h
  std::size_t inputs = 0;      // p
  std::vector<float> weights;  // W transposed: width x inputs, row j is column w_j of W
  // Uniform on +-scale / sqrt(features of one power), the bias included.
  static PolynomialNetwork initial(int features, int degree, std::size_t width, double scale,
                                   Prng& random);
};

// Whether |w| < limit for all weights; not if one is no number. Without branches: it is asked every
// round.
bool all_below(float limit, std::span<const float> weights);

// A sample number that stands for no sample: skipped.
inline constexpr std::size_t kPadding = static_cast<std::size_t>(-1);

}  // namespace fedvs::model
