#include "fedvs/field/combine.h"

#include <gtest/gtest.h>

#include "fedvs/base/thread_pool.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::largest_residues;
using fedvs::testing::pointers;
using fedvs::testing::random_matrices;
using fedvs::testing::ring;
using fedvs::testing::seeded;

Coefficients random_coefficients(const Ring& ring, int outputs, int inputs, Prng& random) {
  Coefficients coefficients(ring, outputs, inputs);
  for (int plane = 0; plane < ring.planes(); ++plane) {
    for (int o = 0; o < outputs; ++o) {
      for (int i = 0; i < inputs; ++i) {
        coefficients.at(plane, o, i) = static_cast<Residue>(random.next_u64() % ring.prime(plane));
      }
    }
  }
  return coefficients;
}

Residue definition(const Coefficients& coefficients, const std::vector<RingMatrix>& blocks,
                   int plane, int output, std::size_t r, std::size_t c) {
  const std::uint32_t p = coefficients.ring().prime(plane);
  Residue sum = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Residue factor = coefficients.at(plane, output, static_cast<int>(i));
    sum = add(sum, multiply(factor, blocks[i].get(plane, r, c), p), p);
  }
  return sum;
}

void expect_the_definition(const Coefficients& coefficients,
                           const std::vector<RingMatrix>& blocks) {
  const auto out = combine(coefficients, pointers(blocks));
  ASSERT_EQ(static_cast<int>(out.size()), coefficients.outputs());
  for (int plane = 0; plane < coefficients.ring().planes(); ++plane) {
    for (int o = 0; o < coefficients.outputs(); ++o) {
      const RingMatrix& made = out[static_cast<std::size_t>(o)];
      for (std::size_t r = 0; r < made.rows(); ++r) {
        for (std::size_t c = 0; c < made.stride(); ++c) {  // with padding, which stays zero
          ASSERT_EQ(made.get(plane, r, c), definition(coefficients, blocks, plane, o, r, c))
              << coefficients.ring().name() << " " << plane << " " << o << " " << r << " " << c;
        }
      }
    }
  }
}

TEST(Combine, AgreesWithTheDefinitionInEveryRing) {
  Prng random = seeded(1);
  for (const Ring& ring : all_rings()) {
    for (int inputs : {1, 2, 4, 5, 7, 11}) {
      expect_the_definition(
          random_coefficients(ring, 3, inputs, random),
          random_matrices(ring, static_cast<std::size_t>(inputs), 13, 67, random));
    }
  }
}

TEST(Combine, IsExactNextToThePrimeAndPastTheExactRangeOfFloats) {
  // 300 terms of 250^2 exceed 2^24.
  for (const Ring& ring : all_rings()) {
    for (int inputs : {256, 257, 300}) {
      std::vector<RingMatrix> blocks;
      for (int i = 0; i < inputs; ++i) blocks.push_back(largest_residues(ring, 1, 70));
      Coefficients coefficients(ring, 1, inputs);
      for (int plane = 0; plane < ring.planes(); ++plane) {
        for (int i = 0; i < inputs; ++i) coefficients.at(plane, 0, i) = ring.prime(plane) - 1;
      }
      expect_the_definition(coefficients, blocks);
    }
  }
}

TEST(Combine, ReducesEverySumOfTwoProductsRight) {
  // Every product a * b of a byte plane, plus the largest one: all quotients of the reduction.
  for (std::uint32_t prime : {3u, 5u, 127u, 211u, 233u, 251u}) {
    const Ring plane = Ring::of_primes("one", {prime});
    RingMatrix all(plane, 1, prime), top = largest_residues(plane, 1, prime);
    for (Residue b = 0; b < prime; ++b) all.set(0, 0, b, b);
    Coefficients coefficients(plane, static_cast<int>(prime), 2);
    for (Residue a = 0; a < prime; ++a) {
      coefficients.at(0, static_cast<int>(a), 0) = a;
      coefficients.at(0, static_cast<int>(a), 1) = prime - 1;
    }
    std::vector<RingMatrix> blocks;
    blocks.push_back(std::move(all));
    blocks.push_back(std::move(top));
    const auto out = combine(coefficients, pointers(blocks));
    for (Residue a = 0; a < prime; ++a) {
      for (Residue b = 0; b < prime; ++b) {
        ASSERT_EQ(out[a].get(0, 0, b), (a * b + (prime - 1) * (prime - 1)) % prime);
      }
    }
  }
}

TEST(Combine, DoesNotDependOnTheNumberOfThreads) {
  Prng random = seeded(2);
  for (const char* name : {"rns4", "m31"}) {
    const auto blocks = random_matrices(ring(name), 5, 300, 300, random);
    const Coefficients coefficients = random_coefficients(ring(name), 4, 5, random);
    ThreadPool::set_default_threads(1);
    const auto alone = combine(coefficients, pointers(blocks));
    for (int threads : {2, 3, 5}) {
      ThreadPool::set_default_threads(threads);
      EXPECT_TRUE(combine(coefficients, pointers(blocks)) == alone) << threads;
    }
  }
}

TEST(Coefficients, RowTakesOneOutput) {
  Prng random = seeded(3);
  const Ring five = ring("rns5");
  const Coefficients coefficients = random_coefficients(five, 3, 4, random);
  const Coefficients row = coefficients.row(2);
  EXPECT_EQ(row.outputs(), 1);
  EXPECT_EQ(row.inputs(), 4);
  for (int plane = 0; plane < 5; ++plane) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(row.at(plane, 0, i), coefficients.at(plane, 2, i));
  }
}

}  // namespace
}  // namespace fedvs::field
