// The order in which the product H = X W reads W (D x h), and so the order in which shares of W are
// made, sent and kept: nobody packs anything. 16 columns make a panel; D is a multiple of 4.
//   byte planes  a panel is [D/4][16][4]: four depths of a column side by side, as VNNI and AMX
//                multiply them
//   m31          a panel is [D][16]
// As a RingMatrix, W is ceil(h / 16) rows of 16 D elements. A sender whose inputs are depths
// [first, first + D_n) owns the columns [16 first, 16 (first + D_n)) of every row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "fedvs/field/ring.h"

namespace fedvs::field {

inline constexpr std::size_t kPanelWidth = 16;  // columns of W
inline constexpr std::size_t kQuad = 4;         // depths that sit side by side

constexpr std::size_t padded_depth(std::size_t depth) {
  return (depth + kQuad - 1) / kQuad * kQuad;
}
constexpr std::size_t panel_rows(std::size_t width) {
  return (width + kPanelWidth - 1) / kPanelWidth;
}
constexpr std::size_t panel_cols(std::size_t depth) { return kPanelWidth * padded_depth(depth); }

// Where W[d][j] sits in row j / 16 of the panels.
std::size_t panel_column(const Ring& ring, std::size_t d, std::size_t j);

// W^T (width x inputs, row by row) in panel order. out.size() is panel_rows(width) *
// panel_cols(inputs); what pads the depth and the width is zero.
void order_panels(const Ring& ring, std::span<const std::int32_t> w_transposed, std::size_t width,
                  std::size_t inputs, std::span<std::int32_t> out);

}  // namespace fedvs::field
