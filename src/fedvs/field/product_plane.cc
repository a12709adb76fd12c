#include "fedvs/field/product_plane.h"

#include <algorithm>

#include "fedvs/field/panels.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kLine = 64;  // depths per block are a multiple: rows of X stay aligned

std::size_t pieces(std::size_t total, std::size_t most) {
  return total / most + (total % most == 0 ? 0 : 1);
}

// Rows of one block of the depth.
template <class Word>
void multiply_rows(const BlockKernel<Word>& kernel, const PlaneProduct<Word>& product) {
  const std::size_t blocks = pieces(product.rows, kernel.rows);
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * product.rows / blocks;
    PlaneProduct<Word> part = product;
    part.rows = (block + 1) * product.rows / blocks - first;
    part.x += first * product.x_stride;
    part.out += first * product.out_stride;
    kernel.run(part);
  }
}

template <class Word>
void clear(const PlaneProduct<Word>& product) {
  for (std::size_t r = 0; r < product.rows; ++r) {
    std::fill_n(product.out + r * product.out_stride, product.width, Word{0});
  }
}

}  // namespace

template <>
const BlockKernel<std::uint8_t>& block_kernel(Kernel kernel) {
  switch (kernel) {
    case Kernel::kPortable:
      return kBytesPortable;
    case Kernel::kAvx2:
      return kBytesAvx2;
    case Kernel::kVnni:
      return kBytesVnni;
    case Kernel::kAmx:
      return kBytesAmx;
  }
  return kBytesPortable;
}

template <>
const BlockKernel<std::uint32_t>& block_kernel(Kernel kernel) {
  static const bool kHasIfma = __builtin_cpu_supports("avx512ifma") != 0;
  if (kernel == Kernel::kPortable) return kM31Portable;
  return kernel >= Kernel::kVnni && kHasIfma ? kM31Ifma : kM31Avx2;
}

template <class Word>
void multiply_plane(const BlockKernel<Word>& kernel, const PlaneProduct<Word>& product) {
  if (product.depth == 0 && !product.add) return clear(product);
  const std::size_t blocks = pieces(product.depth, kernel.depth);
  const std::size_t block = blocks == 0 ? 0 : pieces(pieces(product.depth, blocks), kLine) * kLine;
  for (std::size_t first = 0; first < product.depth; first += block) {
    PlaneProduct<Word> part = product;
    part.x += first;
    part.w += first * kPanelWidth;
    part.depth = std::min(block, product.depth - first);
    part.add = product.add || first > 0;
    if (kernel.start != nullptr) {
      kernel.start(part);
      part.add = true;
    }
    multiply_rows(kernel, part);
  }
}

template void multiply_plane(const BlockKernel<std::uint8_t>&, const ByteProduct&);
template void multiply_plane(const BlockKernel<std::uint32_t>&, const WordProduct&);

}  // namespace fedvs::field
