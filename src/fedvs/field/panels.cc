#include "fedvs/field/panels.h"

#include <algorithm>

namespace fedvs::field {
namespace {

// One column of W into its panel: groups of `run` depths, a panel's width of them apart.
void place_column(const std::int32_t* column, std::size_t inputs, std::size_t run,
                  std::int32_t* out) {
  const std::size_t whole = inputs / run * run;
  for (std::size_t d = 0; d < whole; d += run) {
    std::copy_n(column + d, run, out + d * kPanelWidth);
  }
  std::copy(column + whole, column + inputs, out + whole * kPanelWidth);
}

std::size_t run_of(const Ring& ring) { return ring.word_bytes() == 1 ? kQuad : 1; }

}  // namespace

std::size_t panel_column(const Ring& ring, std::size_t d, std::size_t j) {
  const std::size_t run = run_of(ring);
  return (d / run * kPanelWidth + j % kPanelWidth) * run + d % run;
}

void order_panels(const Ring& ring, std::span<const std::int32_t> w_transposed, std::size_t width,
                  std::size_t inputs, std::span<std::int32_t> out) {
  FEDVS_CHECK(w_transposed.size() == width * inputs, "W^T is width x inputs");
  FEDVS_CHECK(out.size() == panel_rows(width) * panel_cols(inputs), "as many as the panels hold");
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t j = 0; j < width && inputs > 0; ++j) {
    std::int32_t* panel = out.data() + j / kPanelWidth * panel_cols(inputs);
    place_column(w_transposed.data() + j * inputs, inputs, run_of(ring),
                 panel + panel_column(ring, 0, j));
  }
}

}  // namespace fedvs::field
