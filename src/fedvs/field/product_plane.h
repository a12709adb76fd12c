// One plane of a product as the kernels see it: raw words and strides. A file per instruction set
// (product_<set>.cc for byte planes, product_m31_<set>.cc) offers one BlockKernel.
#pragma once
#include <cstddef>
#include <cstdint>

#include "fedvs/field/kernel.h"

namespace fedvs::field {

template <class Word>
struct PlaneProduct {
  const Word* x;         // rows x depth; no alignment is asked for
  std::size_t x_stride;  // words from one row to the next
  std::size_t rows;
  const Word* w;         // panels of 16 columns, see panels.h
  std::size_t w_stride;  // words from one panel to the next
  std::size_t depth;     // a multiple of 4
  std::size_t width;     // columns that are stored
  std::uint32_t prime;
  Word* out;  // rows x width
  std::size_t out_stride;
  bool add;  // to the residues that out holds: how blocks of the depth join
};
using ByteProduct = PlaneProduct<std::uint8_t>;
using WordProduct = PlaneProduct<std::uint32_t>;  // m31

template <class Word>
struct BlockKernel {
  void (*run)(const PlaneProduct<Word>&);  // of at most `rows` rows and `depth` depths, not 0
  std::size_t rows, depth;                 // depth is a multiple of 64 and at most kMaxBlockDepth
  std::size_t grain;                       // rows that fill its registers: what threads share out
  // Where there is one: once per block of the depth, with all rows, before `run` adds to out.
  void (*start)(const PlaneProduct<Word>&) = nullptr;
};

// 2048 * 250^2 + 250 < 2^27: what the reductions of byte kernels rely on.
inline constexpr std::size_t kMaxBlockDepth = 2048;

extern const BlockKernel<std::uint8_t> kBytesPortable, kBytesAvx2, kBytesVnni, kBytesAmx;
extern const BlockKernel<std::uint32_t> kM31Portable, kM31Avx2, kM31Ifma;
template <class Word>
const BlockKernel<Word>& block_kernel(Kernel kernel);

// Any rows and any depth, in blocks of nearly equal size: depth outside, so that a block of W stays
// in the cache while all rows pass by, and each word of X is fetched once.
template <class Word>
void multiply_plane(const BlockKernel<Word>& kernel, const PlaneProduct<Word>& product);

}  // namespace fedvs::field
