// 2^31 - 1 on any machine: products are cut at bit 31 and both parts summed, 16 columns at a time.
#include <algorithm>
#include <array>

#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kDepth = 256;  // a panel of 16 KB stays in the first cache for all rows

struct Sums {  // of the low 31 bits and of the rest of products below 2^62
  std::array<std::uint64_t, kPanelWidth> low{}, high{};
};

void add_row(const std::uint32_t* x, const std::uint32_t* panel, std::size_t depth, Sums& sums) {
  for (std::size_t d = 0; d < depth; ++d) {
    const std::uint64_t factor = x[d];
    for (std::size_t j = 0; j < kPanelWidth; ++j) {
      const std::uint64_t product = factor * panel[d * kPanelWidth + j];
      sums.low[j] += product & kMersenne31;
      sums.high[j] += product >> 31;
    }
  }
}

void multiply_block(const WordProduct& product) {
  for (std::size_t first = 0; first < product.width; first += kPanelWidth) {
    const std::uint32_t* panel = product.w + first / kPanelWidth * product.w_stride;
    for (std::size_t r = 0; r < product.rows; ++r) {
      Sums sums;
      add_row(product.x + r * product.x_stride, panel, product.depth, sums);
      std::uint32_t* out = product.out + r * product.out_stride + first;
      for (std::size_t j = 0; j < std::min(kPanelWidth, product.width - first); ++j) {
        const std::uint64_t sum = sums.low[j] + sums.high[j] + (product.add ? out[j] : 0u);
        out[j] = static_cast<std::uint32_t>(sum % kMersenne31);
      }
    }
  }
}

}  // namespace

constexpr BlockKernel<std::uint32_t> kM31Portable{multiply_block, SIZE_MAX, kDepth, /*grain=*/32};

}  // namespace fedvs::field
