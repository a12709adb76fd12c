// Theorem 5.2 by enumeration: every value of every mask over a tiny prime, with the code's own
// matrices. Each mask vector is one column of a matrix, so that one call shares under all of them.
#include <gtest/gtest.h>

#include <set>

#include "fedvs/coding/encoder.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::pointers;
using fedvs::testing::subsets;
using field::Residue;
using field::RingMatrix;

std::size_t power(std::size_t base, int exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

RingMatrix constant(const field::Ring& ring, std::size_t cols, Residue value) {
  RingMatrix matrix(ring, 1, cols);
  for (std::size_t c = 0; c < cols; ++c) matrix.set(0, 0, c, value);
  return matrix;
}

// Row i: digit i of the column's number, base p. All vectors of `digits` residues, one per column.
std::vector<RingMatrix> all_vectors(const field::Ring& ring, int digits) {
  const std::size_t p = ring.prime(0), cols = power(p, digits);
  std::vector<RingMatrix> rows;
  for (int i = 0; i < digits; ++i) {
    rows.emplace_back(ring, 1, cols);
    for (std::size_t c = 0; c < cols; ++c) {
      rows.back().set(0, 0, c, static_cast<Residue>(c / power(p, i) % p));
    }
  }
  return rows;
}

struct Shares {
  std::vector<RingMatrix> data, model;  // per party; one column per value of all 2T masks
};

Shares share_under_every_mask(const LagrangeCode& code, std::span<const Residue> segments,
                              Residue weight) {
  const auto colluding = static_cast<std::size_t>(code.shape().colluding);
  const auto masks = all_vectors(code.ring(), 2 * code.shape().colluding);
  const auto drawn = pointers(masks);
  std::vector<RingMatrix> blocks;
  for (Residue segment : segments)
    blocks.push_back(constant(code.ring(), masks[0].cols(), segment));
  std::vector<RingMatrix> weights;
  weights.push_back(constant(code.ring(), masks[0].cols(), weight));
  auto data_terms = pointers(blocks), model_terms = pointers(weights);
  const auto split = drawn.begin() + static_cast<std::ptrdiff_t>(colluding);
  data_terms.insert(data_terms.end(), drawn.begin(), split);
  model_terms.insert(model_terms.end(), split, drawn.end());
  return {encode(code, Polynomial::kData, data_terms),
          encode(code, Polynomial::kModel, model_terms)};
}

// Whether the coalition's data and model shares take every value equally often: once, as there are
// as many masks as values.
bool jointly_uniform(const Shares& shares, const std::vector<int>& coalition) {
  const std::size_t masks = shares.data[0].cols(), p = shares.data[0].ring().prime(0);
  std::vector<bool> seen(masks, false);
  for (std::size_t c = 0; c < masks; ++c) {
    std::size_t view = 0;
    for (int m : coalition) {
      view = view * p + shares.data[static_cast<std::size_t>(m)].get(0, 0, c);
      view = view * p + shares.model[static_cast<std::size_t>(m)].get(0, 0, c);
    }
    if (seen.at(view)) return false;
    seen[view] = true;
  }
  return true;
}

// For every secret (X_1 .. X_K, W) and every coalition of T.
void expect_uniform_shares(std::uint32_t prime, Shape shape) {
  const auto code = LagrangeCode::create(field::Ring::of_primes("tiny", {prime}), shape).value();
  const std::size_t secrets = power(prime, shape.blocks + 1);
  for (std::size_t secret = 0; secret < secrets; ++secret) {
    std::vector<Residue> digits;
    for (int i = 0; i <= shape.blocks; ++i) {
      digits.push_back(static_cast<Residue>(secret / power(prime, i) % prime));
    }
    const Residue weight = digits.back();
    digits.pop_back();
    const Shares shares = share_under_every_mask(code, digits, weight);
    for (const auto& coalition : subsets(shape.parties, shape.colluding)) {
      ASSERT_TRUE(jointly_uniform(shares, coalition)) << "secret " << secret;
    }
  }
}

TEST(SharePrivacy, OneOfThreePartiesLearnsNothing) { expect_uniform_shares(5, {3, 1, 1}); }

TEST(SharePrivacy, OneOfFivePartiesLearnsNothingAboutTwoSegments) {
  expect_uniform_shares(11, {5, 2, 1});
}

TEST(SharePrivacy, TwoOfFivePartiesLearnNothingTogether) { expect_uniform_shares(11, {5, 1, 2}); }

TEST(SharePrivacy, OneMoreThanTPartiesDoLearn) {
  // T + K data shares determine the data: the enumeration sees what is there to see.
  const auto code = LagrangeCode::create(field::Ring::of_primes("tiny", {5}), {3, 1, 1}).value();
  const std::vector<Residue> segment{2};
  const Shares shares = share_under_every_mask(code, segment, 3);
  std::set<std::vector<Residue>> seen;
  for (std::size_t c = 0; c < shares.data[0].cols(); ++c) {
    seen.insert({shares.data[0].get(0, 0, c), shares.data[1].get(0, 0, c)});
  }
  EXPECT_EQ(seen.size(), 5u);  // of 25 pairs: those on lines through the secret
}

}  // namespace
}  // namespace fedvs::coding
