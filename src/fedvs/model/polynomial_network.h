// A client's polynomial network, Eq. (1): h = sum_i x^i W^i + b, x^i element-wise. With the powers
// and one 1 side by side in a row x^ of p = d D + 1 numbers, it is the product x^ W.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/data/dataset.h"

namespace fedvs::model {

// (x^1, ..., x^D, 1) of every row.
data::Table raise_to_powers(const data::Table& features, int degree);

struct PolynomialNetwork {
  std::size_t width = 0;       // h
  std::size_t inputs = 0;      // p
  std::vector<float> weights;  // W transposed: width x inputs, row j is column w_j of W
  // Uniform on +-scale / sqrt(features of one power), the bias included.
  static PolynomialNetwork initial(int features, int degree, std::size_t width, double scale,
                                   Prng& random);
};

// grad[j][p] = sum_i scale * g[i][j] * x[rows[i]][p], summed over i in order: the result does not
// depend on threads (they share j) or on vector width. g is rows.size() x width.
// A row number of kPadding is skipped.
inline constexpr std::size_t kPadding = static_cast<std::size_t>(-1);
void weight_gradient(const data::Table& x, std::span<const std::size_t> rows,
                     std::span<const float> g, std::size_t width, float scale,
                     std::span<float> gradient);

}  // namespace fedvs::model
