#include "fedvs/coding/encoder.h"

#include <gtest/gtest.h>

#include "tests/coding/interpolate.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::FlintPolynomial;
using fedvs::testing::interpolate;
using fedvs::testing::pointers;
using fedvs::testing::random_matrices;
using fedvs::testing::ring;
using fedvs::testing::seeded;
using field::RingMatrix;

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

TEST(Encoder, DataSharesAreFlintsInterpolationThroughBlocksAndMasks) {
  Prng random = seeded(1);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {11, 4, 2}).value();
    const auto blocks = random_matrices(ring, 4, 3, 5, random);
    const auto masks = random_matrices(ring, 2, 3, 5, random);
    auto terms = pointers(blocks);
    for (const auto& mask : masks) terms.push_back(&mask);
    const auto shares = encode(code, Polynomial::kData, terms);
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

TEST(Encoder, ModelSharesLieOnAPolynomialThatIsTheWeightsAtEveryBeta) {
  Prng random = seeded(2);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {13, 4, 3}).value();
    const auto weights = field::uniform(ring, 2, 3, random);
    const RingMatrix* const secret = &weights;
    const auto shares = encode_hidden(code, Polynomial::kModel, {&secret, 1}, 2, 3, random);
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

TEST(Encoder, ZeroMasksVanishAtTheBetasAndHaveTheDegreeOfTheSum) {
  Prng random = seeded(3);
  for (const field::Ring& ring : all_rings()) {
    const auto code = LagrangeCode::create(ring, {15, 4, 3}).value();
    const auto shares = encode_hidden(code, Polynomial::kMask, {}, 10, 10, random);
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

TEST(Encoder, GivesARecipientTheSameAloneWithOthersAndWithAll) {
  Prng random = seeded(4);
  const auto code = LagrangeCode::create(ring("rns4"), {9, 2, 2}).value();
  for (Polynomial polynomial : {Polynomial::kData, Polynomial::kModel, Polynomial::kMask}) {
    // Given the terms of a polynomial and everybody's shares,
    const auto count = static_cast<std::size_t>(matrix_of(code, polynomial).inputs());
    const auto terms = random_matrices(code.ring(), count, 3, 5, random);
    const auto all = encode(code, polynomial, pointers(terms));
    // when those of two are made in one pass, and each in place or on top of what is there,
    RingMatrix seventh(code.ring(), 3, 5), second(code.ring(), 3, 5);
    const std::vector<RingMatrix*> outs{&seventh, &second};
    encode(code, polynomial, pointers(terms), std::vector<int>{7, 2}, outs);
    RingMatrix wide(code.ring(), 4, 8), expected(code.ring(), 4, 8), twice = all[7].clone();
    encode(code, polynomial, pointers(terms), 7, wide, {.row = 1, .col = 3});
    encode(code, polynomial, pointers(terms), 7, twice, {.add = true});
    // then they are the same.
    EXPECT_EQ(seventh, all[7]);
    EXPECT_EQ(second, all[2]);
    expected.paste(all[7], 1, 3);
    EXPECT_EQ(wide, expected);
    field::add_into(seventh, all[7]);
    EXPECT_EQ(twice, seventh);
  }
}

TEST(Encoder, DrawsAsManyTermsAsHideThePolynomial) {
  Prng random = seeded(5);
  const auto code = LagrangeCode::create(ring("rns4"), {13, 4, 3}).value();
  EXPECT_EQ(random_terms(code, Polynomial::kData, 1, 1, random).size(), 3u);   // T
  EXPECT_EQ(random_terms(code, Polynomial::kModel, 1, 1, random).size(), 3u);  // T
  EXPECT_EQ(random_terms(code, Polynomial::kMask, 1, 1, random).size(), 9u);   // K+2T-1
}

}  // namespace
}  // namespace fedvs::coding
