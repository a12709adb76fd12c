#include "fedvs/quant/scales.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/rings.h"

namespace fedvs::quant {
namespace {

using fedvs::testing::ring;
using ::testing::AllOf;
using ::testing::HasSubstr;

// N, d_n, D_n of jobs like the paper's.
std::vector<std::vector<ClientWidth>> jobs() {
  std::vector<std::vector<ClientWidth>> all;
  for (int parties : {3, 10, 28}) {
    for (int features : {1, 28, 200}) {
      for (int degree : {1, 2, 3}) {
        all.emplace_back(static_cast<std::size_t>(parties), ClientWidth{features, degree});
      }
    }
  }
  return all;
}

TEST(AutomaticScales, AreTheSameForBothRingsOf31Bits) {
  int chosen = 0;
  for (const auto& job : jobs()) {
    const auto m31 = automatic_scales(ring("m31"), job, 3.0);
    const auto rns4 = automatic_scales(ring("rns4"), job, 3.0);
    ASSERT_EQ(m31.has_value(), rns4.has_value());
    if (!m31) continue;
    ++chosen;
    EXPECT_EQ(m31->l_x, rns4->l_x);
    EXPECT_EQ(m31->l_w, rns4->l_w);
  }
  EXPECT_GT(chosen, 20);
}

TEST(AutomaticScales, KeepTheWorstRowWithinTheBoundAndWasteNoBit) {
  for (const auto& name : field::Ring::names()) {
    for (const auto& job : jobs()) {
      const auto scales = automatic_scales(ring(name), job, 3.0);
      if (!scales) continue;
      double squares = 1;
      for (int k = 1; k <= job[0].degree; ++k) squares += job[0].features * std::pow(9.0, k);
      const double worst = std::sqrt(squares) * kColumnNorm * std::exp2(scales->l_x + scales->l_w);
      const double bound =
          static_cast<double>(ring(name).modulus()) / (2.0 * static_cast<double>(job.size()));
      EXPECT_LE(worst, bound * (1 + 1e-9));
      EXPECT_LE(scales->l_x, 12);
      EXPECT_LE(scales->l_w, 14);
      if (scales->l_x < 12 && scales->l_w < 14) {
        EXPECT_GT(4 * worst, bound / 1.0001) << name;  // rns rings have up to 1 bit uncounted
      }
    }
  }
}

TEST(AutomaticScales, GiveTheWeightsFourSeventhsOfTheBits) {
  const std::vector<ClientWidth> job(28, {28, 2});
  const Scales scales = automatic_scales(ring("rns4"), job, 3.0).value();
  EXPECT_EQ(scales.l_x + scales.l_w, 17);
  EXPECT_EQ(scales.l_w, 17 * 4 / 7);
}

TEST(AutomaticScales, FollowTheWidestClient) {
  std::vector<ClientWidth> job(5, {10, 1});
  const Scales narrow = automatic_scales(ring("rns4"), job, 3.0).value();
  job[3].degree = 3;
  const Scales wide = automatic_scales(ring("rns4"), job, 3.0).value();
  EXPECT_LT(wide.l_x + wide.l_w, narrow.l_x + narrow.l_w);
}

TEST(AutomaticScales, NameTheRingThatWouldDoWhenBitsRunOut) {
  const std::vector<ClientWidth> job(100, {500, 5});
  const auto refused = automatic_scales(ring("rns4"), job, 3.0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadJob);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("ring rns4 leaves"),
                                             HasSubstr("100 clients"), HasSubstr("ring rns5")));
  EXPECT_TRUE(automatic_scales(ring("rns5"), job, 3.0));
}

TEST(AutomaticScales, SayWhenNoRingIsWideEnough) {
  const std::vector<ClientWidth> job(100, {500, 40});
  const auto refused = automatic_scales(ring("rns8"), job, 3.0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("lower data.clip or the degree"));
}

TEST(AutomaticScales, LeaveQuantisedFeaturesWithin32Bits) {
  // 3^14 is 22 bits: l_x may have 8 of 31.
  const std::vector<ClientWidth> job(3, {2, 14});
  EXPECT_EQ(automatic_scales(ring("rns8"), job, 3.0).value().l_x, 8);
  const std::vector<ClientWidth> steep(3, {2, 18});
  const auto refused = automatic_scales(ring("rns8"), steep, 3.0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("bits for l_x"));
}

}  // namespace
}  // namespace fedvs::quant
