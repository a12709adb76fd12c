#include "fedvs/quant/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fedvs/field/kernel.h"
#include "tests/support/rings.h"

namespace fedvs::quant {
namespace {

using fedvs::testing::ring;
using fedvs::testing::seeded;

TEST(RoundHalfUp, GoesUpAtTheHalfOnBothSidesOfZero) {
  EXPECT_EQ(round_half_up(0.5, 0), 1);
  EXPECT_EQ(round_half_up(-0.5, 0), 0);
  EXPECT_EQ(round_half_up(2.5, 0), 3);
  EXPECT_EQ(round_half_up(-2.5, 0), -2);
  EXPECT_EQ(round_half_up(-2.51, 0), -3);
  EXPECT_EQ(round_half_up(1.49, 0), 1);
}

TEST(RoundHalfUp, DoesNotRoundTwice) {
  // The largest double below 1/2; adding 1/2 to it would already give 1.
  EXPECT_EQ(round_half_up(std::nextafter(0.5, 0.0), 0), 0);
  EXPECT_EQ(round_half_up(std::nextafter(-0.5, -1.0), 0), -1);
}

TEST(RoundHalfUp, ScalesByThePowerOfTwo) {
  EXPECT_EQ(round_half_up(3.0, 8), 768);
  EXPECT_EQ(round_half_up(-3.0, 8), -768);
  EXPECT_EQ(round_half_up(1.0 / 512, 8), 1);
  EXPECT_EQ(round_half_up(2147483647.0, 0), 2147483647);
}

TEST(RoundStochastic, GivesFloorOrTheNextWithTheRightExpectation) {
  constexpr std::size_t kDraws = 100'000;
  for (float x : {0.3f, -0.3f, 1.75f, -2.0625f, 0.001f}) {
    const std::vector<float> reals(kDraws, x);
    std::vector<std::int32_t> rounded(kDraws);
    Prng random = seeded(1);
    round_stochastic(reals, 4, random, rounded);
    const double scaled = 16.0 * static_cast<double>(x), below = std::floor(scaled);
    std::size_t ups = 0;
    for (std::int32_t value : rounded) {
      ASSERT_TRUE(value == below || value == below + 1) << value;
      if (value != below) ++ups;
    }
    // The fraction of ups is binomial: within 6 of its standard deviations, 0.0016 at most.
    EXPECT_NEAR(static_cast<double>(ups) / kDraws, scaled - below, 0.0096) << x;
  }
}

TEST(RoundStochastic, LeavesWholeNumbersAlone) {
  const std::vector<float> reals{0.0f, 1.0f, -1.0f, 0.25f, -3.75f};
  std::vector<std::int32_t> rounded(reals.size());
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng random = seeded(seed);
    round_stochastic(reals, 2, random, rounded);
    EXPECT_EQ(rounded, (std::vector<std::int32_t>{0, 4, -4, 1, -15}));
  }
}

TEST(RoundStochastic, ComparesEachFractionWithTheNextUnitOfTheStream) {
  // Given reals of all sizes, some next to the ends of the range, in more than one stretch,
  Prng random = seeded(2);
  std::vector<float> reals;
  for (int i = 0; i < 2500; ++i) {
    reals.push_back(static_cast<float>(std::ldexp(random.next_unit() - 0.5, i % 31)));
  }
  reals[1500] = -2147483520.0f / 2;
  // When they are rounded, then each is what its own draw says, whichever kernel does it.
  for (field::Kernel kernel : field::available_kernels()) {
    field::KernelForTests chosen(kernel);
    for (std::size_t count : {0u, 1u, 7u, 1024u, 1025u, 2500u}) {
      Prng used = seeded(3), same = seeded(3);
      std::vector<std::int32_t> rounded(count);
      round_stochastic(std::span(reals).first(count), 1, used, rounded);
      for (std::size_t i = 0; i < count; ++i) {
        const double scaled = 2.0 * static_cast<double>(reals[i]), below = std::floor(scaled);
        ASSERT_EQ(rounded[i], below + (same.next_unit() < scaled - below ? 1 : 0)) << reals[i];
      }
      EXPECT_EQ(used.next_u64(), same.next_u64());
    }
  }
}

TEST(RoundStochasticDeathTest, RefusesWhatDoesNotFit) {
  for (const float x : {2147483648.0f, -2147483648.0f, std::nanf("")}) {
    const std::vector<float> reals{0.0f, x};
    std::vector<std::int32_t> rounded(2);
    Prng random = seeded(4);
    EXPECT_DEATH(round_stochastic(reals, 0, random, rounded), "32 bits");
  }
}

TEST(Dequantise, GivesTheSameWithEveryKernel) {
  Prng random = seeded(5);
  std::vector<std::int64_t> sums(77);
  for (auto& sum : sums)
    sum = static_cast<std::int64_t>(random.next_u64()) >> (random.next_u64() % 60);
  for (field::Kernel kernel : field::available_kernels()) {
    field::KernelForTests chosen(kernel);
    std::vector<float> reals(sums.size());
    dequantise(sums, 17, 28, reals);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      EXPECT_EQ(reals[i], static_cast<float>(0x1p-17 / 28 * static_cast<double>(sums[i])));
    }
  }
}

TEST(Dequantise, DividesByTheScaleAndTheClients) {
  const std::vector<std::int64_t> sums{0, 96, -96, 1};
  std::vector<float> reals(sums.size());
  dequantise(sums, 5, 3, reals);
  EXPECT_EQ(reals, (std::vector<float>{0.0f, 1.0f, -1.0f, static_cast<float>(1.0 / 96)}));
}

TEST(Dequantise, TakesTheMiddleOfTheFieldAsPositive) {
  // Eq. (7) would make (p-1)/2 negative; p-1 over 2 is the largest sum that may occur.
  const field::Ring m31 = ring("m31");
  const auto half = static_cast<std::int64_t>((m31.modulus() - 1) / 2);
  const field::Residue middle = m31.residue(half, 0), next = middle + 1;
  const std::vector<std::int64_t> sums{m31.integer({&middle, 1}), m31.integer({&next, 1})};
  std::vector<float> reals(2);
  dequantise(sums, 0, 1, reals);
  EXPECT_EQ(sums, (std::vector<std::int64_t>{half, -half}));
  EXPECT_EQ(reals, (std::vector<float>{1073741823.0f, -1073741823.0f}));
}

}  // namespace
}  // namespace fedvs::quant
