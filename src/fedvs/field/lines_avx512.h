// Walking through rows in lines of 64 bytes, the last of a row under a mask.
// Only for files compiled for AVX-512; everything is local to the file that includes it.
#pragma once
#include <immintrin.h>

#include "fedvs/field/combine_kernels.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kLine = 64;
constexpr __mmask64 kWholeLine = ~__mmask64{0};

inline __mmask64 first_bytes(std::size_t count) {
  return count >= kLine ? kWholeLine : (__mmask64{1} << count) - 1;
}

inline void store_bytes(std::uint8_t* out, __mmask64 mask, __m512i value) {
  if (mask == kWholeLine) {
    _mm512_storeu_si512(out, value);
  } else {
    _mm512_mask_storeu_epi8(out, mask, value);
  }
}

// Calls visit(input offset, output offset, mask) for every line of every row.
template <class Visit>
inline void for_each_line(const ByteCombination& job, const Visit& visit) {
  const std::size_t rows = job.rows, cols = job.cols;
  const std::size_t input_stride = job.input_stride, output_stride = job.output_stride;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t in = r * input_stride, out = r * output_stride;
    std::size_t e = 0;
    for (; e + kLine <= cols; e += kLine) visit(in + e, out + e, kWholeLine);
    if (e < cols) visit(in + e, out + e, first_bytes(cols - e));
  }
}

}  // namespace
}  // namespace fedvs::field
