#include "fedvs/field/matmul.h"

#include <gtest/gtest.h>

#include <numeric>

#include "fedvs/base/thread_pool.h"
#include "tests/support/flint.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::FlintMatrix;
using fedvs::testing::largest_residues;
using fedvs::testing::ring;
using fedvs::testing::seeded;

std::vector<std::size_t> all_rows(const RingMatrix& x) {
  std::vector<std::size_t> rows(x.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

void expect_flints_product(const RingMatrix& x, const RingMatrix& w_transposed) {
  const RingMatrix h = multiply(x, all_rows(x), w_transposed);
  for (int plane = 0; plane < x.ring().planes(); ++plane) {
    const std::uint32_t prime = x.ring().prime(plane);
    FlintMatrix left(x, plane), right_t(w_transposed, plane), ours(h, plane);
    FlintMatrix right(x.cols(), w_transposed.rows(), prime), product(h.rows(), h.cols(), prime);
    nmod_mat_transpose(right.get(), right_t.get());
    nmod_mat_mul(product.get(), left.get(), right.get());
    EXPECT_TRUE(nmod_mat_equal(ours.get(), product.get()))
        << x.ring().name() << " plane " << plane << ": " << x.rows() << " x " << x.cols() << " x "
        << w_transposed.rows();
  }
}

TEST(Multiply, AgreesWithFlintInEveryRingAndOddShapes) {
  Prng random = seeded(1);
  constexpr std::size_t kShapes[][3] = {{1, 1, 1},   {1, 63, 5},   {3, 64, 4},   {7, 65, 3},
                                        {5, 129, 1}, {2, 1000, 7}, {33, 257, 31}};
  for (const Ring& ring : all_rings()) {
    for (const auto& [rows, depth, width] : kShapes) {
      expect_flints_product(uniform(ring, rows, depth, random),
                            uniform(ring, width, depth, random));
    }
  }
}

TEST(Multiply, IsExactNextToThePrimeAndPastOneBlockOfSums) {
  // 70,000 products of 250^2 exceed 32 bits; 2^31 is passed at 34,360.
  for (const Ring& ring : all_rings()) {
    for (std::size_t depth : {34'359u, 34'360u, 70'000u}) {
      expect_flints_product(largest_residues(ring, 2, depth), largest_residues(ring, 3, depth));
    }
  }
}

TEST(Multiply, AgreesWithTheDefinitionOnChosenRows) {
  Prng random = seeded(2);
  for (const Ring& ring : all_rings()) {
    const RingMatrix x = uniform(ring, 10, 21, random), w = uniform(ring, 6, 21, random);
    const std::vector<std::size_t> rows{9, 0, 3, 3};
    const RingMatrix h = multiply(x, rows, w);
    ASSERT_EQ(h.rows(), 4u);
    ASSERT_EQ(h.cols(), 6u);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      const std::uint32_t p = ring.prime(plane);
      for (std::size_t i = 0; i < 24; ++i) {
        Residue sum = 0;
        for (std::size_t d = 0; d < 21; ++d) {
          const Residue left = x.get(plane, rows[i / 6], d);
          sum = add(sum, multiply(left, w.get(plane, i % 6, d), p), p);
        }
        ASSERT_EQ(h.get(plane, i / 6, i % 6), sum);
      }
    }
  }
}

TEST(Multiply, DoesNotDependOnTheNumberOfThreads) {
  Prng random = seeded(3);
  for (const char* name : {"rns4", "m31"}) {
    const RingMatrix x = uniform(ring(name), 200, 800, random);
    const RingMatrix w = uniform(ring(name), 64, 800, random);
    ThreadPool::set_default_threads(1);
    const RingMatrix alone = multiply(x, all_rows(x), w);
    for (int threads : {2, 3, 5}) {
      ThreadPool::set_default_threads(threads);
      EXPECT_TRUE(multiply(x, all_rows(x), w) == alone) << threads;
    }
  }
}

TEST(Multiply, OfNothingIsEmptyOrZero) {
  const RingMatrix x(ring("rns4"), 3, 0), w(ring("rns4"), 2, 0);
  EXPECT_TRUE(multiply(x, all_rows(x), w) == RingMatrix(ring("rns4"), 3, 2));
  const RingMatrix y(ring("rns4"), 3, 4), v(ring("rns4"), 2, 4);
  EXPECT_TRUE(multiply(y, {}, v).empty());
}

}  // namespace
}  // namespace fedvs::field
