#include "fedvs/coding/lagrange.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "tests/coding/interpolate.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::FlintPolynomial;
using fedvs::testing::interpolate;
using fedvs::testing::ring;
using fedvs::testing::seeded;
using field::Residue;

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
