// SSE2, which every x86-64 has; other machines get what their compiler makes of 4 floats.
#include <cstddef>

namespace fedvs::model {
namespace {

typedef float Lanes __attribute__((vector_size(16)));
constexpr std::size_t kTileOutputs = 4, kTileVectors = 2;

inline Lanes load_first(const float* from, std::size_t count) {
  Lanes lanes = {};
  for (std::size_t i = 0; i < 4; ++i) lanes[i] = i < count ? from[i] : 0.0f;
  return lanes;
}

inline void store_first(float* to, Lanes lanes, std::size_t count) {
  if (count == 4) {
    __builtin_memcpy(to, &lanes, sizeof lanes);
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = lanes[i];
  }
}

}  // namespace
}  // namespace fedvs::model

#include "fedvs/model/float_loops.h"

const fedvs::model::FloatKernels fedvs::model::kPortableFloatKernels = kLoops;
