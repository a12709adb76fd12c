// The plane of 2^31 - 1: one loop, compiled for each instruction set.
#include <algorithm>

#include "fedvs/base/isa.h"
#include "fedvs/field/combine_kernels.h"
#include "fedvs/field/wide.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kTile = 256;
constexpr std::size_t kTerms = 3;  // fold_m31() < 2^34, and 3 (2^31 - 2)^2 + 2^34 < 2^64

struct Three {
  const std::uint32_t* x[kTerms];
  std::uint64_t c[kTerms];
};

// Terms past the last are the first input times zero.
FEDVS_INLINE Three three_of(const WordCombination& job, std::size_t output, std::size_t first,
                            std::size_t at) {
  Three terms{};
  for (std::size_t k = 0; k < kTerms; ++k) {
    const bool there = first + k < job.inputs;
    terms.x[k] = job.input[there ? first + k : 0] + at;
    terms.c[k] = there ? job.factor[output][first + k] : 0;
  }
  return terms;
}

FEDVS_INLINE void add_three(const Three& t, std::size_t count, std::uint64_t* sum) {
  const std::uint32_t *x0 = t.x[0], *x1 = t.x[1], *x2 = t.x[2];
  const std::uint64_t c0 = t.c[0], c1 = t.c[1], c2 = t.c[2];
  for (std::size_t e = 0; e < count; ++e) {
    sum[e] = ((sum[e] & kMersenne31) + (sum[e] >> 31)) + c0 * x0[e] + c1 * x1[e] + c2 * x2[e];
  }
}

FEDVS_INLINE void store(const std::uint64_t* sum, std::size_t count, std::uint32_t* out) {
  for (std::size_t e = 0; e < count; ++e) {
    const std::uint64_t once = (sum[e] & kMersenne31) + (sum[e] >> 31);
    const std::uint64_t twice = (once & kMersenne31) + (once >> 31);  // below 2^31 + 8
    const auto rest = static_cast<std::uint32_t>(twice);
    out[e] = std::min(rest, rest - kMersenne31);  // the smaller: the difference wraps around
  }
}

FEDVS_INLINE void combine_tile(const WordCombination& job, std::size_t in, std::size_t out,
                               std::size_t count) {
  alignas(64) std::uint64_t sum[kTile];
  for (std::size_t o = 0; o < job.outputs; ++o) {
    std::uint32_t* target = job.output[o] + out;
    for (std::size_t e = 0; e < count; ++e) sum[e] = job.add ? target[e] : 0;
    for (std::size_t i = 0; i < job.inputs; i += kTerms) {
      add_three(three_of(job, o, i, in), count, sum);
    }
    store(sum, count, target);
  }
}

FEDVS_INLINE void combine_words(const WordCombination& job) {
  for (std::size_t r = 0; r < job.rows; ++r) {
    for (std::size_t e = 0; e < job.cols; e += kTile) {
      combine_tile(job, r * job.input_stride + e, r * job.output_stride + e,
                   job.cols - e < kTile ? job.cols - e : kTile);
    }
  }
}

}  // namespace

void combine_m31_portable(const WordCombination& job) { combine_words(job); }
FEDVS_TARGET_AVX2 void combine_m31_avx2(const WordCombination& job) { combine_words(job); }
FEDVS_TARGET_AVX512 void combine_m31_avx512(const WordCombination& job) { combine_words(job); }

}  // namespace fedvs::field
