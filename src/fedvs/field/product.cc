#include "fedvs/field/product.h"

#include <algorithm>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/kernel.h"
#include "fedvs/field/panels.h"
#include "fedvs/field/product_plane.h"

namespace fedvs::field {
namespace {

constexpr std::size_t kThreadedProducts = std::size_t{1}
                                          << 21;              // multiply-adds worth waking others
constexpr std::size_t kGrainProducts = std::size_t{1} << 19;  // and worth a piece

struct Job {
  const RingMatrix& x;
  const RingMatrix& w;
  std::size_t width;
  RingMatrix& out;

  template <class Word>
  PlaneProduct<Word> plane(int plane, std::size_t begin, std::size_t end) const {
    return {.x = x.row<Word>(plane, begin),
            .x_stride = x.stride(),
            .rows = end - begin,
            .w = w.row<Word>(plane, 0),
            .w_stride = w.stride(),
            .depth = padded_depth(x.cols()),
            .width = width,
            .prime = x.ring().prime(plane),
            .out = out.row<Word>(plane, begin),
            .out_stride = out.stride(),
            .add = false};
  }

  std::size_t grain() const {
    return x.ring().word_bytes() == 1 ? block_kernel<std::uint8_t>(active_kernel()).grain
                                      : block_kernel<std::uint32_t>(active_kernel()).grain;
  }

  void run_grains(std::size_t begin, std::size_t end) const {
    run(begin * grain(), std::min(end * grain(), x.rows()));
  }

  void run(std::size_t begin, std::size_t end) const {
    const Kernel kernel = active_kernel();
    for (int p = 0; p < x.ring().planes(); ++p) {
      if (x.ring().word_bytes() == 1) {
        multiply_plane(block_kernel<std::uint8_t>(kernel), plane<std::uint8_t>(p, begin, end));
      } else {
        multiply_plane(block_kernel<std::uint32_t>(kernel), plane<std::uint32_t>(p, begin, end));
      }
    }
  }
};

}  // namespace

void multiply(const RingMatrix& x, const RingMatrix& w_panels, std::size_t width, RingMatrix& out) {
  FEDVS_CHECK(x.ring() == w_panels.ring() && x.ring() == out.ring(), "one ring");
  FEDVS_CHECK(w_panels.rows() == panel_rows(width) && w_panels.cols() == panel_cols(x.cols()),
              "W has the panels of D x width");
  FEDVS_CHECK(out.rows() == x.rows() && out.cols() == width, "out is b x width");
  FEDVS_CHECK(&out != &x && &out != &w_panels, "out is a matrix of its own");
  if (out.empty()) return;
  const Job job{x, w_panels, width, out};
  const std::size_t products_per_row = x.cols() * width + 1;
  if (x.rows() * products_per_row < kThreadedProducts) return job.run(0, x.rows());
  const std::size_t grain = job.grain();
  ThreadPool::global().parallel_for(
      (x.rows() + grain - 1) / grain, kGrainProducts / (grain * products_per_row) + 1,
      [&job](std::size_t begin, std::size_t end) { job.run_grains(begin, end); });
}

}  // namespace fedvs::field
