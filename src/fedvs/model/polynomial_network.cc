#include "fedvs/model/polynomial_network.h"

#include <algorithm>
#include <cmath>

#include "fedvs/base/check.h"
#include "fedvs/base/thread_pool.h"

namespace fedvs::model {
namespace {

// A tile of the gradient: 4 outputs x 8 inputs stay in registers while all samples pass by.
constexpr std::size_t kTileOutputs = 4;
constexpr std::size_t kTileInputs = 8;
constexpr std::size_t kMacsWorthAThread = 1 << 18;  // about 50 us; waking a thread costs about 5

typedef float Lanes __attribute__((vector_size(16)));  // element-wise: no sum crosses lanes

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// The batch without its padding: rows of x, and scale * g with columns padded to whole tiles.
struct Batch {
  std::vector<const float*> x;
  std::vector<float> g;
  std::size_t g_stride;
};

Batch without_padding(const data::Table& x, std::span<const std::size_t> rows,
                      std::span<const float> g, std::size_t width, float scale) {
  Batch batch{{}, {}, round_up(width, kTileOutputs)};
  batch.x.reserve(rows.size());
  batch.g.reserve(rows.size() * batch.g_stride);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == kPadding) continue;
    FEDVS_CHECK(rows[i] < x.rows, "a batch names a row beyond the table");
    batch.x.push_back(x.row(rows[i]));
    for (std::size_t j = 0; j < width; ++j) batch.g.push_back(scale * g[i * width + j]);
    batch.g.resize(batch.x.size() * batch.g_stride, 0.0f);
  }
  return batch;
}

// Columns [first, first + 8) of all samples side by side, zeros beyond the table's last column.
void pack_columns(const Batch& batch, std::size_t first, std::size_t cols, float* packed) {
  const std::size_t valid = std::min(kTileInputs, cols - first);
  for (const float* row : batch.x) {
    std::copy_n(row + first, valid, packed);
    std::fill(packed + valid, packed + kTileInputs, 0.0f);
    packed += kTileInputs;
  }
}

struct Tile {
  float sums[kTileOutputs][kTileInputs];
};

// Adds up samples in order: the same roundings as one scalar loop per output.
Tile sum_tile(const float* x, const float* g, std::size_t g_stride, std::size_t samples) {
  Lanes low[kTileOutputs] = {}, high[kTileOutputs] = {};
  for (std::size_t i = 0; i < samples; ++i, x += kTileInputs, g += g_stride) {
    Lanes x_low, x_high;
    __builtin_memcpy(&x_low, x, sizeof(Lanes));
    __builtin_memcpy(&x_high, x + 4, sizeof(Lanes));
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kTileOutputs; ++j) {
      low[j] += g[j] * x_low;
      high[j] += g[j] * x_high;
    }
  }
  Tile tile;
  for (std::size_t j = 0; j < kTileOutputs; ++j) {
    __builtin_memcpy(tile.sums[j], &low[j], sizeof(Lanes));
    __builtin_memcpy(tile.sums[j] + 4, &high[j], sizeof(Lanes));
  }
  return tile;
}

// Rows [first, last) of the gradient, counted in tiles.
void sum_outputs(const Batch& batch, std::size_t first, std::size_t last, std::size_t width,
                 std::size_t inputs, std::span<float> gradient) {
  std::vector<float> packed(batch.x.size() * kTileInputs);
  for (std::size_t p = 0; p < inputs; p += kTileInputs) {
    pack_columns(batch, p, inputs, packed.data());
    const std::size_t valid_inputs = std::min(kTileInputs, inputs - p);
    for (std::size_t j = first * kTileOutputs; j < std::min(width, last * kTileOutputs);
         j += kTileOutputs) {
      const Tile tile = sum_tile(packed.data(), batch.g.data() + j, batch.g_stride, batch.x.size());
      for (std::size_t k = 0; k < std::min(kTileOutputs, width - j); ++k) {
        std::copy_n(tile.sums[k], valid_inputs, gradient.data() + (j + k) * inputs + p);
      }
    }
  }
}

}  // namespace

data::Table raise_to_powers(const data::Table& features, int degree) {
  FEDVS_CHECK(degree >= 1, "a polynomial network has degree 1 or more");
  const std::size_t d = features.cols;
  const std::size_t inputs = d * static_cast<std::size_t>(degree) + 1;
  data::Table powers{features.rows, inputs, std::vector<float>(features.rows * inputs)};
  for (std::size_t r = 0; r < features.rows; ++r) {
    const float* x = features.row(r);
    float* out = std::copy_n(x, d, powers.row(r));
    for (int power = 2; power <= degree; ++power, out += d) {
      for (std::size_t c = 0; c < d; ++c) out[c] = *(out + c - d) * x[c];
    }
    *out = 1.0f;
  }
  return powers;
}

PolynomialNetwork PolynomialNetwork::initial(int features, int degree, std::size_t width,
                                             double scale, Prng& random) {
  FEDVS_CHECK(features >= 1 && degree >= 1, "a polynomial network needs features and a degree");
  PolynomialNetwork network;
  network.width = width;
  network.inputs = static_cast<std::size_t>(features) * static_cast<std::size_t>(degree) + 1;
  network.weights.resize(width * network.inputs);
  const double bound = scale / std::sqrt(static_cast<double>(features));
  for (float& w : network.weights) {
    w = static_cast<float>((2 * random.next_unit() - 1) * bound);
  }
  return network;
}

void weight_gradient(const data::Table& x, std::span<const std::size_t> rows,
                     std::span<const float> g, std::size_t width, float scale,
                     std::span<float> gradient) {
  FEDVS_CHECK(g.size() == rows.size() * width, "the embeddings' gradient has another shape");
  FEDVS_CHECK(gradient.size() == width * x.cols, "the weights' gradient has another shape");
  const Batch batch = without_padding(x, rows, g, width, scale);
  const std::size_t macs_per_tile = batch.x.size() * x.cols * kTileOutputs + 1;
  ThreadPool::global().parallel_for(batch.g_stride / kTileOutputs,
                                    kMacsWorthAThread / macs_per_tile + 1,
                                    [&](std::size_t first, std::size_t last) {
                                      sum_outputs(batch, first, last, width, x.cols, gradient);
                                    });
}

}  // namespace fedvs::model
