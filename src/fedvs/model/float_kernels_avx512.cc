// AVX-512 F, BW, VL and DQ: compiled for them, so it may call nothing that other files also
// compile.
#include <immintrin.h>

#include <cstddef>

namespace fedvs::model {
namespace {

typedef __m512 Lanes;
// One vector: a factor is then used once, and the multiplication reads it from memory itself. Two
// vectors would share it through a register, at 0.7 of the speed (Zen 4).
constexpr std::size_t kTileOutputs = 16, kTileVectors = 1;

inline __mmask16 first_lanes(std::size_t count) {
  return static_cast<__mmask16>((1u << count) - 1);
}

inline Lanes load_first(const float* from, std::size_t count) {
  return _mm512_maskz_loadu_ps(first_lanes(count), from);
}

inline void store_first(float* to, Lanes lanes, std::size_t count) {
  if (count == 16) {
    _mm512_storeu_ps(to, lanes);
  } else {
    _mm512_mask_storeu_ps(to, first_lanes(count), lanes);
  }
}

}  // namespace
}  // namespace fedvs::model

#include "fedvs/model/float_loops.h"

const fedvs::model::FloatKernels fedvs::model::kAvx512FloatKernels = kLoops;
