// Byte planes on any machine. A panel is widened to 16 bits with its depth contiguous, so that the
// inner loop is what every compiler turns into multiply-adds of pairs (pmaddwd).
#include <algorithm>
#include <array>

#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kDepth = 512;   // 16 wide columns and a row: 17 KB, in the first cache
constexpr std::size_t kTogether = 4;  // columns: a row of X is loaded once for all of them

struct Scratch {
  alignas(64) std::array<std::array<std::int16_t, kDepth>, kPanelWidth> w;
  alignas(64) std::array<std::int16_t, kDepth> x;
};
thread_local Scratch own_scratch;  // reused: shares are not left behind on the stack

void widen_panel(const std::uint8_t* panel, std::size_t depth, Scratch& scratch) {
  for (std::size_t d = 0; d < depth; ++d) {
    const std::uint8_t* quad = panel + d / kQuad * kQuad * kPanelWidth + d % kQuad;
    for (std::size_t j = 0; j < kPanelWidth; ++j) scratch.w[j][d] = quad[j * kQuad];
  }
}

// Below 2^27: signed sums are exact.
std::array<std::int32_t, kTogether> dot_four(const std::int16_t* x, const std::int16_t* w,
                                             std::size_t depth) {
  std::int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  const std::int16_t *w0 = w, *w1 = w + kDepth, *w2 = w + 2 * kDepth, *w3 = w + 3 * kDepth;
  for (std::size_t d = 0; d < depth; ++d) {
    s0 += x[d] * w0[d];
    s1 += x[d] * w1[d];
    s2 += x[d] * w2[d];
    s3 += x[d] * w3[d];
  }
  return {s0, s1, s2, s3};
}

// out[0 .. columns) of one row and the panel in scratch.
void multiply_row(const ByteProduct& product, const std::uint8_t* x, std::size_t columns,
                  Scratch& scratch, std::uint8_t* out) {
  std::copy_n(x, product.depth, scratch.x.data());
  for (std::size_t j = 0; j < columns; j += kTogether) {
    const auto sums = dot_four(scratch.x.data(), scratch.w[j].data(), product.depth);
    for (std::size_t c = 0; c < std::min(kTogether, columns - j); ++c) {
      const std::uint32_t before = product.add ? out[j + c] : 0u;
      const auto sum = static_cast<std::uint32_t>(sums[c]) + before;
      out[j + c] = static_cast<std::uint8_t>(sum % product.prime);
    }
  }
}

// Not inlined: with the thread's scratch in sight, g++ 12 looks it up anew in the innermost loop.
[[gnu::noipa]] void multiply_panels(const ByteProduct& product, Scratch& scratch) {
  for (std::size_t first = 0; first < product.width; first += kPanelWidth) {
    widen_panel(product.w + first / kPanelWidth * product.w_stride, product.depth, scratch);
    for (std::size_t r = 0; r < product.rows; ++r) {
      multiply_row(product, product.x + r * product.x_stride,
                   std::min(kPanelWidth, product.width - first), scratch,
                   product.out + r * product.out_stride + first);
    }
  }
}

void multiply_block(const ByteProduct& product) { multiply_panels(product, own_scratch); }

}  // namespace

constexpr BlockKernel<std::uint8_t> kBytesPortable{multiply_block, SIZE_MAX, kDepth, /*grain=*/32};

}  // namespace fedvs::field
