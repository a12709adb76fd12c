// AVX2: compiled with -mavx2, so it may call nothing that other files also compile.
#include <immintrin.h>

#include <cstddef>

namespace fedvs::model {
namespace {

typedef __m256 Lanes;
// 12 sums, 2 inputs, 1 factor and 1 product: all 16 registers.
constexpr std::size_t kTileOutputs = 6, kTileVectors = 2;

inline __m256i first_lanes(std::size_t count) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lane);
}

inline Lanes load_first(const float* from, std::size_t count) {
  return _mm256_maskload_ps(from, first_lanes(count));
}

inline void store_first(float* to, Lanes lanes, std::size_t count) {
  if (count == 8) {
    _mm256_storeu_ps(to, lanes);
  } else {
    _mm256_maskstore_ps(to, first_lanes(count), lanes);
  }
}

}  // namespace
}  // namespace fedvs::model

#include "fedvs/model/float_loops.h"

const fedvs::model::FloatKernels fedvs::model::kAvx2FloatKernels = kLoops;
