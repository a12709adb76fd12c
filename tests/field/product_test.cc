#include "fedvs/field/product.h"

#include <gtest/gtest.h>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/kernel.h"
#include "fedvs/field/panels.h"
#include "tests/support/flint.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::FlintMatrix;
using fedvs::testing::largest_residues;
using fedvs::testing::ring;
using fedvs::testing::seeded;

RingMatrix product(const RingMatrix& x, const RingMatrix& w_panels, std::size_t width) {
  RingMatrix out(x.ring(), x.rows(), width);
  multiply(x, w_panels, width, out);
  return out;
}

RingMatrix uniform_panels(const Ring& ring, std::size_t depth, std::size_t width, Prng& random) {
  return uniform(ring, panel_rows(width), panel_cols(depth), random);
}

void expect_flints_product(const RingMatrix& x, const RingMatrix& w_panels, std::size_t width) {
  const RingMatrix h = product(x, w_panels, width);
  for (int plane = 0; plane < x.ring().planes(); ++plane) {
    const std::uint32_t prime = x.ring().prime(plane);
    FlintMatrix left(x, plane), ours(h, plane);
    FlintMatrix right(x.cols(), width, prime), theirs(h.rows(), width, prime);
    for (std::size_t d = 0; d < x.cols(); ++d) {
      for (std::size_t j = 0; j < width; ++j) {
        right.at(d, j) = w_panels.get(plane, j / 16, panel_column(x.ring(), d, j));
      }
    }
    nmod_mat_mul(theirs.get(), left.get(), right.get());
    EXPECT_TRUE(nmod_mat_equal(ours.get(), theirs.get()))
        << x.ring().name() << " plane " << plane << " on " << name(active_kernel()) << ": "
        << x.rows() << " x " << x.cols() << " x " << width;
  }
}

TEST(Product, AgreesWithFlintInEveryRingOnEveryKernelAndOddShapes) {
  Prng random = seeded(1);
  constexpr std::size_t kShapes[][3] = {{1, 1, 1},   {1, 63, 5},   {3, 64, 4},   {7, 65, 33},
                                        {5, 129, 1}, {2, 1001, 7}, {33, 257, 65}};
  for (Kernel kernel : available_kernels()) {
    const KernelForTests forced(kernel);
    for (const Ring& ring : all_rings()) {
      for (const auto& [rows, depth, width] : kShapes) {
        expect_flints_product(uniform(ring, rows, depth, random),
                              uniform_panels(ring, depth, width, random), width);
      }
    }
  }
}

TEST(Product, IsExactNextToThePrimePast32BitSums) {
  for (Kernel kernel : available_kernels()) {
    const KernelForTests forced(kernel);
    for (const char* name : {"rns8", "m31"}) {
      for (std::size_t depth : {34'359u, 70'000u}) {
        expect_flints_product(largest_residues(ring(name), 2, depth),
                              largest_residues(ring(name), 1, panel_cols(depth)), 3);
      }
    }
  }
}

TEST(Product, IsTheSameWhateverTheKernelAndTheThreads) {
  Prng random = seeded(3);
  for (const char* name : {"rns4", "m31"}) {
    const RingMatrix x = uniform(ring(name), 200, 800, random);
    const RingMatrix w = uniform_panels(ring(name), 800, 64, random);
    ThreadPool::set_default_threads(1);
    const RingMatrix alone = product(x, w, 64);
    for (Kernel kernel : available_kernels()) {
      const KernelForTests forced(kernel);
      for (int threads : {1, 2, 3, 5}) {
        ThreadPool::set_default_threads(threads);
        EXPECT_TRUE(product(x, w, 64) == alone) << threads << field::name(kernel);
      }
    }
  }
}

TEST(Product, OverwritesTheResultAndLeavesItsPaddingZero) {
  Prng random = seeded(4);
  for (Kernel kernel : available_kernels()) {
    const KernelForTests forced(kernel);
    for (const char* name : {"rns4", "m31"}) {
      const RingMatrix x = uniform(ring(name), 9, 40, random);
      const RingMatrix w = uniform_panels(ring(name), 40, 21, random);
      RingMatrix noise = uniform(ring(name), 9, 21, random);
      multiply(x, w, 21, noise);
      const RingMatrix clean = product(x, w, 21);
      EXPECT_TRUE(std::equal(noise.bytes().begin(), noise.bytes().end(), clean.bytes().begin()));
    }
  }
}

TEST(Product, OfNothingIsEmptyOrZero) {
  for (const char* name : {"rns4", "m31"}) {
    const RingMatrix x(ring(name), 3, 0), w(ring(name), 1, 0);
    Prng random = seeded(5);
    RingMatrix out = uniform(ring(name), 3, 2, random);
    multiply(x, w, 2, out);
    EXPECT_TRUE(out == RingMatrix(ring(name), 3, 2));
    EXPECT_TRUE(product(RingMatrix(ring(name), 0, 4), RingMatrix(ring(name), 1, 64), 2).empty());
  }
}

}  // namespace
}  // namespace fedvs::field
