// The gradient of a batch by all clients' weights. What the clients have in common, the samples and
// the scaled gradient of their average embedding, is prepared once and read by all of them.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "fedvs/model/fixed_rows.h"
#include "fedvs/model/float_kernels.h"

namespace fedvs::model {

class GradientBatch {
 public:
  GradientBatch() = default;
  GradientBatch(std::span<const std::size_t> samples, std::span<const float> g, std::size_t width,
                float scale) {
    assign(samples, g, width, scale);
  }
  // Takes over scale * g, samples.size() x width, but for samples that are kPadding. Allocates only
  // when a batch is larger than any before.
  void assign(std::span<const std::size_t> samples, std::span<const float> g, std::size_t width,
              float scale);

  std::size_t width() const { return width_; }
  std::span<const std::size_t> samples() const { return samples_; }  // without padding
  std::size_t rows_needed() const { return rows_needed_; }           // the largest sample + 1
  const float* scaled() const { return scaled_.data(); }             // and kTileSlack more

 private:
  std::size_t width_ = 0, rows_needed_ = 0;
  std::vector<std::size_t> samples_;
  std::vector<float> scaled_;
};

// gradient[j][p] = sum_i scale * g[i][j] * unit * x[samples[i]][p], summed over i in order,
// products rounded before they are added: the same bits on every machine, kernel and number of
// threads. Departs: no BLAS, whose bits depend on all three; it is as fast (docs/performance.md).
void weight_gradient(const FixedRows& x, const GradientBatch& batch, std::span<float> gradient);
void weight_gradient(const FixedRows& x, const GradientBatch& batch, std::span<float> gradient,
                     const FloatKernels& kernels);

}  // namespace fedvs::model
