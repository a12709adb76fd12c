// Every instruction set against the portable loops, bit for bit.
#include "fedvs/model/float_kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "fedvs/quant/fixed_point.h"
#include "tests/support/float_tables.h"

namespace fedvs::model {
namespace {

using fedvs::testing::normals;

class FloatKernelsOfEverySet : public ::testing::TestWithParam<field::Kernel> {
 protected:
  const FloatKernels& tested_ = float_kernels(GetParam());
  const FloatKernels& portable_ = float_kernels(field::Kernel::kPortable);
};

struct AdamRun {
  std::vector<float> weights, first, second;
  bool operator==(const AdamRun&) const = default;
};

AdamRun ten_steps(const FloatKernels& kernels, std::size_t count, std::size_t offset) {
  AdamRun run{normals(count + offset, 1), normals(count + offset, 2, 0.1),
              std::vector<float>(count + offset, 0.0f)};
  for (std::uint64_t step = 0; step < 10; ++step) {
    const auto g = normals(count + offset, 100 + step, step % 2 ? 1e-6 : 1.0);
    kernels.adam({0.9f, 0.1f, 0.999f, 0.001f, 0.01f, 0.3f, 1e-8f}, g.data() + offset,
                 run.weights.data() + offset, run.first.data() + offset, run.second.data() + offset,
                 count);
  }
  return run;
}

TEST_P(FloatKernelsOfEverySet, TakeTheSameAdamSteps) {
  for (std::size_t count = 0; count < 70; ++count) {
    for (const std::size_t offset : {0u, 1u}) {
      ASSERT_EQ(ten_steps(tested_, count, offset), ten_steps(portable_, count, offset)) << count;
    }
  }
  EXPECT_EQ(ten_steps(tested_, 1856, 0), ten_steps(portable_, 1856, 0));
}

TEST_P(FloatKernelsOfEverySet, RoundHalfUpAsTheDefinitionDoes) {
  auto x = normals(300, 4, 3.0);
  for (std::size_t i = 0; i < 100; ++i) x[i] = static_cast<float>(i) * 0.25f - 12.0f;  // ties
  x[100] = 1e-40f;
  x[101] = -1e-40f;
  for (const int bits : {0, 1, 9, 24}) {
    std::vector<std::int32_t> out(x.size() + 1, 77);
    const auto most = tested_.round_half_up(x.data(), std::ldexp(1.0f, bits), out.data(), x.size());
    std::uint32_t seen = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(out[i], quant::round_half_up(static_cast<double>(x[i]), bits)) << x[i];
      seen |= static_cast<std::uint32_t>(out[i] < 0 ? ~out[i] : out[i]);
    }
    EXPECT_EQ(out.back(), 77);
    EXPECT_EQ(static_cast<std::uint32_t>(most), std::bit_ceil(seen + 1) - 1);
  }
}

TEST_P(FloatKernelsOfEverySet, SayWhenARoundedValueDoesNotFit) {
  for (const float bad : {2147483648.0f, -2147483648.0f, INFINITY, NAN}) {
    for (const std::size_t at : {0u, 15u, 39u}) {
      auto x = normals(40, 5);
      x[at] = bad;
      std::vector<std::int32_t> out(x.size());
      EXPECT_LT(tested_.round_half_up(x.data(), 1.0f, out.data(), x.size()), 0);
    }
  }
}

struct DenseRun {
  std::vector<float> rows, slopes, sums, exps;
  bool operator==(const DenseRun&) const = default;
};

DenseRun dense_loops(const FloatKernels& kernels, std::size_t width, float least) {
  constexpr std::size_t kRows = 7;
  DenseRun run{normals(kRows * width, 1), normals(kRows * width, 2),
               std::vector<float>(width, 9.0f), normals(kRows * width, 3, 40.0)};
  kernels.add_bias(normals(width, 4).data(), width, least, run.rows.data(), kRows);
  kernels.clear_where_cut(run.rows.data(), run.slopes.data(), run.slopes.size());
  kernels.sum_rows(run.slopes.data(), width, run.sums.data(), kRows);
  for (float& value : run.exps) value = -std::abs(value);
  kernels.exp_below(0.25f, run.exps.data(), run.exps.size());
  return run;
}

TEST_P(FloatKernelsOfEverySet, TreatDenseLayersAlike) {
  for (std::size_t width = 1; width < 70; ++width) {
    for (const float least : {0.0f, -1e30f}) {
      ASSERT_EQ(dense_loops(tested_, width, least), dense_loops(portable_, width, least)) << width;
    }
  }
}

TEST_P(FloatKernelsOfEverySet, ExponentiateWithinTwoUnitsInTheLastPlace) {
  std::vector<float> x;
  for (float value = -87.0f; value <= 0; value += 0.0037f) x.push_back(value);
  x.insert(x.end(), {0.0f, -1e-7f, -1e-40f});
  auto e = x;
  tested_.exp_below(0.0f, e.data(), e.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp(static_cast<double>(x[i]));
    ASSERT_NEAR(e[i], exact, 2 * 0x1p-23 * exact) << x[i];
  }
  std::vector<float> far = {-88.0f, -1e30f, -INFINITY, NAN};
  tested_.exp_below(0.0f, far.data(), far.size());
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_LT(far[i], 2e-38f);
  EXPECT_TRUE(std::isnan(far[3]));
}

INSTANTIATE_TEST_SUITE_P(Kernels, FloatKernelsOfEverySet,
                         ::testing::ValuesIn(field::available_kernels()));

}  // namespace
}  // namespace fedvs::model
