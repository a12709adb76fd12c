#include "fedvs/model/gradient_batch.h"

#include <algorithm>

#include "fedvs/base/check.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/model/polynomial_network.h"

namespace fedvs::model {
namespace {

constexpr std::size_t kMacsWorthAThread = 1 << 20;  // about 20 us; waking a thread costs about 5
constexpr std::size_t kChunk = 320;                 // samples of a strip that are packed at a time

struct Work {
  const FixedRows& x;
  const GradientBatch& batch;
  std::span<float> gradient;
  const FloatKernels& kernels;
};

void pack_strip(const Work& work, std::size_t input, std::span<const std::size_t> samples,
                float* packed) {
  const FixedRows& x = work.x;
  if (x.is_narrow()) {
    work.kernels.pack_narrow(x.narrow() + input, samples.data(), samples.size(), x.pitch(),
                             x.unit(), packed);
  } else {
    work.kernels.pack_wide(x.wide() + input, samples.data(), samples.size(), x.pitch(), x.unit(),
                           packed);
  }
}

// Inputs [input, input + kStrip) of the gradient, all samples in order.
void sum_strip(const Work& work, std::size_t input) {
  alignas(64) thread_local float packed[kChunk * kStrip];
  const auto samples = work.batch.samples();
  for (std::size_t first = 0; first < samples.size(); first += kChunk) {
    const auto chunk = samples.subspan(first, std::min(kChunk, samples.size() - first));
    pack_strip(work, input, chunk, packed);
    work.kernels.add_strip({.x = packed,
                            .g = work.batch.scaled() + first * work.batch.width(),
                            .samples = chunk.size(),
                            .width = work.batch.width(),
                            .inputs = std::min(kStrip, work.x.cols() - input),
                            .into = work.gradient.data() + input,
                            .into_stride = work.x.cols(),
                            .starts = first == 0});
  }
}

}  // namespace

void GradientBatch::assign(std::span<const std::size_t> samples, std::span<const float> g,
                           std::size_t width, float scale) {
  FEDVS_CHECK(g.size() == samples.size() * width, "the embeddings' gradient has another shape");
  width_ = width;
  rows_needed_ = 0;
  samples_.clear();
  scaled_.resize(g.size() + kTileSlack);
  float* out = scaled_.data();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] == kPadding) continue;
    samples_.push_back(samples[i]);
    rows_needed_ = std::max(rows_needed_, samples[i] + 1);
    const auto row = g.subspan(i * width, width);
    out = std::transform(row.begin(), row.end(), out, [&](float value) { return scale * value; });
  }
  std::fill_n(out, kTileSlack, 0.0f);
}

void weight_gradient(const FixedRows& x, const GradientBatch& batch, std::span<float> gradient) {
  weight_gradient(x, batch, gradient, float_kernels(field::active_kernel()));
}

void weight_gradient(const FixedRows& x, const GradientBatch& batch, std::span<float> gradient,
                     const FloatKernels& kernels) {
  FEDVS_CHECK(gradient.size() == batch.width() * x.cols(),
              "the weights' gradient has another shape");
  FEDVS_CHECK(batch.rows_needed() <= x.rows(), "a batch names a row beyond the table");
  if (batch.samples().empty()) {
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    return;
  }
  const Work work{x, batch, gradient, kernels};
  const std::size_t macs_per_strip = batch.samples().size() * batch.width() * kStrip + 1;
  ThreadPool::global().parallel_for((x.cols() + kStrip - 1) / kStrip,
                                    kMacsWorthAThread / macs_per_strip + 1,
                                    [&work](std::size_t begin, std::size_t end) {
                                      for (; begin < end; ++begin) sum_strip(work, begin * kStrip);
                                    });
}

}  // namespace fedvs::model
