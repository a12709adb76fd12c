#include "fedvs/model/gradient_batch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fedvs/base/thread_pool.h"
#include "fedvs/model/polynomial_network.h"
#include "tests/support/float_tables.h"

namespace fedvs::model {
namespace {

using fedvs::testing::normal_table;
using fedvs::testing::normals;

constexpr int kNarrow = 9, kWide = 16;  // l_x for which the integers take 2 and 4 bytes

struct Problem {
  std::size_t samples, features, width;
  int l_x = kNarrow;
  float scale = 0.125f;
  FixedRows x{normal_table(2 * samples + 1, features, 1), 1, l_x};
  std::vector<float> g = normals(samples * width, 2);
  std::vector<std::size_t> rows = some_rows();

  std::vector<std::size_t> some_rows() const {
    PublicRandom random(3);
    std::vector<std::size_t> all = permutation(2 * samples + 1, random);
    all.resize(samples);
    return all;
  }
  std::vector<float> gradient(const FloatKernels& kernels) const {
    std::vector<float> noise(width * x.cols(), NAN);  // must be overwritten, not added to
    weight_gradient(x, GradientBatch(rows, g, width, scale), noise, kernels);
    return noise;
  }
  // One loop per output, samples in order.
  std::vector<float> by_definition() const {
    std::vector<float> sums(width * x.cols());
    std::vector<std::int32_t> row(x.cols());
    for (std::size_t i = 0; i < samples; ++i) {
      if (rows[i] == kPadding) continue;
      x.integers(rows[i], row);
      for (std::size_t j = 0; j < width; ++j) {
        const float factor = scale * g[i * width + j];
        for (std::size_t p = 0; p < x.cols(); ++p) {
          const float product = factor * (static_cast<float>(row[p]) * x.unit());
          sums[j * x.cols() + p] += product;
        }
      }
    }
    return sums;
  }
};

class WeightGradientOfFixedRows : public ::testing::TestWithParam<field::Kernel> {
 protected:
  const FloatKernels& kernels_ = float_kernels(GetParam());
};

TEST_P(WeightGradientOfFixedRows, SumsSamplesInOrderToTheLastBitForAnyShape) {
  for (const std::size_t samples : {1u, 2u, 7u, 65u}) {
    for (std::size_t features = 1; features<70; features += samples> 2 ? 5 : 1) {
      for (const std::size_t width : {1u, 3u, 4u, 5u, 8u, 15u, 16u, 17u, 31u, 64u}) {
        for (const int l_x : {kNarrow, kWide}) {
          const Problem problem{samples, features, width, l_x};
          ASSERT_EQ(problem.x.is_narrow(), l_x == kNarrow);
          ASSERT_EQ(problem.gradient(kernels_), problem.by_definition())
              << samples << " samples, " << features << " features, width " << width;
        }
      }
    }
  }
}

TEST_P(WeightGradientOfFixedRows, TakesBatchesOfAnyLengthAndThreads) {
  for (const auto& [samples, features] : {std::pair{258u, 28u},
                                          {516u, 56u},
                                          {8u, 1999u},
                                          {319u, 3u},
                                          {320u, 3u},
                                          {321u, 3u},
                                          {1000u, 130u}}) {
    const Problem problem{samples, features, 64};
    const auto expected = problem.by_definition();
    for (const int threads : {1, 2, 5}) {
      ThreadPool::set_default_threads(threads);
      ASSERT_EQ(problem.gradient(kernels_), expected) << samples << " samples, " << threads;
    }
  }
}

TEST_P(WeightGradientOfFixedRows, SkipsPaddingRowsWhateverTheirGradient) {
  Problem problem{.samples = 20, .features = 10, .width = 19};
  // Given padding at both ends and inside, with gradients that would spoil any sum
  for (const std::size_t i : {0u, 7u, 8u, 19u}) {
    problem.rows[i] = kPadding;
    for (std::size_t j = 0; j < problem.width; ++j) problem.g[i * problem.width + j] = NAN;
  }
  EXPECT_EQ(problem.gradient(kernels_), problem.by_definition());
}

TEST_P(WeightGradientOfFixedRows, OfABatchOfPaddingAloneIsZero) {
  Problem problem{.samples = 4, .features = 5, .width = 2};
  problem.rows.assign(4, kPadding);
  EXPECT_EQ(problem.gradient(kernels_), std::vector<float>(12, 0.0f));
}

TEST_P(WeightGradientOfFixedRows, TouchesNothingBesideTheGradient) {
  const Problem problem{.samples = 9, .features = 20, .width = 5};
  std::vector<float> around(5 * 21 + 64, 7.0f);
  weight_gradient(problem.x, GradientBatch(problem.rows, problem.g, 5, problem.scale),
                  std::span(around).subspan(32, 5 * 21), kernels_);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(around[i], 7.0f);
    EXPECT_EQ(around[32 + 5 * 21 + i], 7.0f);
  }
}

TEST_P(WeightGradientOfFixedRows, IsTheSameAmongOtherClientsRows) {
  for (const std::size_t features : {3u, 31u, 40u}) {
    for (const bool narrow : {true, false}) {
      Problem problem{.samples = 9, .features = features, .width = 5};
      const auto alone = problem.gradient(kernels_);
      // Given the same rows at the end of a block whose other columns are not zero
      const std::size_t rows = 2 * problem.samples + 1;
      const auto block = std::make_shared<RowBlock>(rows, 8 + features + 1, narrow);
      const FixedRows others(normal_table(rows, 7, 4), 1, kNarrow, block, 0);
      problem.x = FixedRows(normal_table(rows, features, 1), 1, kNarrow, block, 8);
      EXPECT_EQ(problem.gradient(kernels_), alone) << features << " features";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, WeightGradientOfFixedRows,
                         ::testing::ValuesIn(field::available_kernels()));

TEST(GradientBatch, IsReusedWithoutATraceOfTheBatchBefore) {
  const Problem large{.samples = 50, .features = 9, .width = 30};
  const Problem small{.samples = 3, .features = 9, .width = 17};
  GradientBatch batch(large.rows, large.g, large.width, large.scale);
  batch.assign(small.rows, small.g, small.width, small.scale);
  EXPECT_EQ(batch.samples().size(), 3u);
  std::vector<float> gradient(17 * 10);
  weight_gradient(small.x, batch, gradient);
  EXPECT_EQ(gradient, small.by_definition());
}

TEST(GradientBatchDeathTest, MayNotNameARowBeyondTheTable) {
  const Problem problem{.samples = 4, .features = 2, .width = 1};
  const std::vector<std::size_t> rows{0, 1, 9, 2};
  std::vector<float> gradient(3);
  EXPECT_DEATH(weight_gradient(problem.x, GradientBatch(rows, problem.g, 1, 1.0f), gradient),
               "beyond the table");
}

}  // namespace
}  // namespace fedvs::model
