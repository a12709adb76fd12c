#include "fedvs/coding/lagrange.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/support/flint.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::FlintPolynomial;
using fedvs::testing::pointers;
using fedvs::testing::random_matrices;
using fedvs::testing::ring;
using fedvs::testing::seeded;
using field::Residue;
using field::RingMatrix;

// The polynomial of least degree through (points[i], values[i]), found by FLINT.
void interpolate(FlintPolynomial& f, std::vector<mp_limb_t> points, std::vector<mp_limb_t> values) {
  nmod_poly_interpolate_nmod_vec(f.get(), points.data(), values.data(),
                                 static_cast<slong>(points.size()));
}

std::vector<mp_limb_t> alphas(const LagrangeCode& code, int count) {
  std::vector<mp_limb_t> points;
  for (int m = 0; m < count; ++m) points.push_back(code.alpha(m));
  return points;
}

// One entry of the shares of parties 0 .. count-1.
std::vector<mp_limb_t> entry(const std::vector<RingMatrix>& shares, int count, int plane,
                             std::size_t r, std::size_t c) {
  std::vector<mp_limb_t> values;
  for (int m = 0; m < count; ++m) {
    values.push_back(shares[static_cast<std::size_t>(m)].get(plane, r, c));
  }
  return values;
}

TEST(LagrangeCode, PointsAreDistinctModuloEveryPrime) {
  for (const field::Ring& ring : all_rings()) {
    const int parties = ring.name() == "m31" ? 300 : static_cast<int>(ring.points()) - 5;
    const auto code = LagrangeCode::create(ring, {parties, 3, 2}).value();
    for (int plane = 0; plane < ring.planes(); ++plane) {
      std::set<Residue> points;
      for (int k = 0; k < 5; ++k) points.insert(code.beta(k) % ring.prime(plane));
      for (int m = 0; m < parties; ++m) points.insert(code.alpha(m) % ring.prime(plane));
      EXPECT_EQ(static_cast<int>(points.size()), parties + 5);
    }
  }
}

TEST(LagrangeCode, DataSharesAreFlintsInterpolationThroughBlocksAndMasks) {
  Prng random = seeded(1);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {11, 4, 2}).value();
    const auto blocks = random_matrices(ring, 4, 3, 5, random);
    const auto masks = random_matrices(ring, 2, 3, 5, random);
    const auto shares = code.share_data(pointers(blocks), pointers(masks));
    ASSERT_EQ(shares.size(), 11u);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < 15; ++i) {
        std::vector<mp_limb_t> betas, values;
        for (int k = 0; k < 6; ++k) betas.push_back(code.beta(k));
        for (const auto& x : blocks) values.push_back(x.get(plane, i / 5, i % 5));
        for (const auto& z : masks) values.push_back(z.get(plane, i / 5, i % 5));
        FlintPolynomial f(ring.prime(plane));
        interpolate(f, betas, values);
        for (int m = 0; m < 11; ++m) {
          ASSERT_EQ(shares[static_cast<std::size_t>(m)].get(plane, i / 5, i % 5), f(code.alpha(m)));
        }
      }
    }
  }
}

TEST(LagrangeCode, ModelSharesLieOnAPolynomialThatIsTheWeightsAtEveryBeta) {
  Prng random = seeded(2);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {13, 4, 3}).value();
    const auto weights = field::uniform(ring, 2, 3, random);
    const auto shares = code.share_model(weights, random);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < 6; ++i) {
        FlintPolynomial g(ring.prime(plane));
        interpolate(g, alphas(code, 13), entry(shares, 13, plane, i / 3, i % 3));
        EXPECT_LE(g.degree(), 4 + 3 - 1);
        for (int k = 0; k < 4; ++k) {
          EXPECT_EQ(g(code.beta(k)), weights.get(plane, i / 3, i % 3));
        }
      }
    }
  }
}

TEST(LagrangeCode, ZeroMasksVanishAtTheBetasAndHaveTheDegreeOfTheSum) {
  Prng random = seeded(3);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {15, 4, 3}).value();
    const auto shares = code.deal_zero_mask(10, 10, random);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      int full_degree = 0;
      for (std::size_t i = 0; i < 100; ++i) {
        FlintPolynomial o(ring.prime(plane));
        interpolate(o, alphas(code, 15), entry(shares, 15, plane, i / 10, i % 10));
        ASSERT_LE(o.degree(), 2 * (4 + 3 - 1));
        full_degree += o.degree() == 2 * (4 + 3 - 1) ? 1 : 0;
        for (int k = 0; k < 4; ++k) ASSERT_EQ(o(code.beta(k)), 0u);
      }
      EXPECT_GE(full_degree, 90);  // the top coefficient is zero once in 211 times or rarer
    }
  }
}

TEST(LagrangeCode, DecodeMatrixAgreesWithFlintForAnyResponders) {
  Prng random = seeded(4);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {9, 2, 2}).value();
    const std::vector<int> responders{8, 0, 3, 5, 1, 7, 2};
    const auto& matrix = code.decode_matrix(responders);
    const auto predict = code.predict_matrix(responders, 6);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      const std::uint32_t p = ring.prime(plane);
      std::vector<mp_limb_t> points, values;
      for (int party : responders) {
        points.push_back(code.alpha(party));
        values.push_back(random.next_u64() % p);
      }
      FlintPolynomial f(p);
      interpolate(f, points, values);
      const auto apply = [&](const field::Coefficients& c, int row) {
        Residue sum = 0;
        for (int i = 0; i < 7; ++i) {
          const auto value = static_cast<Residue>(values[static_cast<std::size_t>(i)]);
          sum = field::add(sum, field::multiply(c.at(plane, row, i), value, p), p);
        }
        return sum;
      };
      for (int k = 0; k < 2; ++k) EXPECT_EQ(apply(matrix, k), f(code.beta(k)));
      EXPECT_EQ(apply(predict, 0), f(code.alpha(6)));
    }
  }
}

TEST(LagrangeCode, CachesTheDecodeMatrixPerSetAndForgetsTheOldest) {
  const auto code = LagrangeCode::create(ring("rns4"), {12, 1, 1}).value();
  const std::vector<int> set{0, 1, 2}, reordered{1, 0, 2};
  const auto* first = &code.decode_matrix(set);
  EXPECT_EQ(&code.decode_matrix(set), first);
  EXPECT_NE(&code.decode_matrix(reordered), first);
  const Residue kept = first->at(0, 0, 1);
  std::size_t asked = 0;
  for (int a = 0; a < 12; ++a) {  // 1320 ordered sets: more than are kept
    for (int b = 0; b < 12; ++b) {
      for (int c = 0; c < 12; ++c) {
        if (a == b || b == c || a == c) continue;
        (void)code.decode_matrix(std::vector<int>{a, b, c});
        ++asked;
      }
    }
  }
  ASSERT_GT(asked, LagrangeCode::kCachedSets);
  EXPECT_EQ(code.decode_matrix(set).at(0, 0, 1), kept);
}

TEST(LagrangeCode, MayBeUsedByManyThreads) {
  const auto code = LagrangeCode::create(ring("rns4"), {8, 2, 1}).value();
  const auto sets = fedvs::testing::subsets(8, 5);
  std::vector<std::uint64_t> sums(4);
  std::vector<std::thread> threads;
  for (auto& sum : sums) {
    threads.emplace_back([&] {
      for (const auto& set : sets) sum += code.decode_matrix(set).at(0, 1, 4);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sums, std::vector<std::uint64_t>(4, sums[0]));
}

}  // namespace
}  // namespace fedvs::coding
