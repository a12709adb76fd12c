// The gradient's loops, see float_loops.h.
#pragma once
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {
namespace {

constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
constexpr std::size_t kPackAhead = 24;  // rows of a batch lie anywhere in memory

template <class Integer>
void pack(const Integer* x, const std::size_t* samples, std::size_t count, std::size_t pitch,
          float unit, float* packed) {
  for (std::size_t i = 0; i < count; ++i, packed += kStrip) {
    if (i + kPackAhead < count) {
      const Integer* const later = x + samples[i + kPackAhead] * pitch;
      __builtin_prefetch(later);
      __builtin_prefetch(later + kStrip - 1);
    }
    const Integer* const row = x + samples[i] * pitch;
    for (std::size_t c = 0; c < kStrip; ++c) packed[c] = unit * static_cast<float>(row[c]);
  }
}

// kTileOutputs rows of a strip, of which `outputs` exist, by some vectors, of whose last one
// `inputs` lanes are in use.
struct Tile {
  float* into;
  std::size_t stride, outputs, inputs;
};

// body(j, v, where, lanes) for every vector v of every row j that exists. Unrolled, so that sums
// indexed by j and v can be registers.
template <std::size_t kVectors, class Body>
[[gnu::always_inline]] inline void for_each_vector(const Tile& tile, Body body) {
#pragma GCC unroll 16
  for (std::size_t j = 0; j < kTileOutputs; ++j) {
    if (j >= tile.outputs) continue;
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      body(j, v, tile.into + j * tile.stride + v * kLanes, v + 1 < kVectors ? kLanes : tile.inputs);
    }
  }
}

// Sums stay in registers while the samples pass by in order.
template <std::size_t kVectors>
void add_tile(const GradientStrip& s, const float* x, const float* g, const Tile& tile) {
  Lanes sums[kTileOutputs][kVectors] = {};
  if (!s.starts) {
    for_each_vector<kVectors>(tile,
                              [&](std::size_t j, std::size_t v, float* from, std::size_t lanes) {
                                sums[j][v] = load_first(from, lanes);
                              });
  }
  for (std::size_t i = 0; i < s.samples; ++i, x += kStrip, g += s.width) {
    Lanes row[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      __builtin_memcpy(&row[v], x + v * kLanes, sizeof(Lanes));
    }
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kTileOutputs; ++j) {
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v) sums[j][v] += g[j] * row[v];
    }
  }
  for_each_vector<kVectors>(tile, [&](std::size_t j, std::size_t v, float* to, std::size_t lanes) {
    store_first(to, sums[j][v], lanes);
  });
}

// kVectors vectors from `input` on, of whose last one `inputs` lanes are in use.
template <std::size_t kVectors>
void add_columns(const GradientStrip& s, std::size_t input, std::size_t inputs) {
  for (std::size_t j = 0; j < s.width; j += kTileOutputs) {
    const std::size_t left = s.width - j;
    const Tile tile{s.into + j * s.into_stride + input, s.into_stride,
                    left < kTileOutputs ? left : kTileOutputs, inputs};
    add_tile<kVectors>(s, s.x + input, s.g + j, tile);
  }
}

void add_strip(const GradientStrip& s) {
  static_assert(kStrip % (kTileVectors * kLanes) == 0 && kTileOutputs <= kTileSlack);
  std::size_t input = 0;
  if constexpr (kTileVectors == 2) {
    for (; input + kLanes < s.inputs; input += 2 * kLanes) {
      const std::size_t second = s.inputs - input - kLanes;
      add_columns<2>(s, input, second < kLanes ? second : kLanes);
    }
  }
  for (; input < s.inputs; input += kLanes) {
    const std::size_t left = s.inputs - input;
    add_columns<1>(s, input, left < kLanes ? left : kLanes);
  }
}

}  // namespace
}  // namespace fedvs::model
