#include "fedvs/field/combine.h"

#include <gtest/gtest.h>

#include "fedvs/base/thread_pool.h"
#include "fedvs/field/kernel.h"
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
      RingMatrix part(ring(name), 300, 350), expected(ring(name), 300, 350);
      combine_row(coefficients, 2, pointers(blocks), part, 0, 50);
      expected.paste(alone[2], 0, 50);
      EXPECT_TRUE(part == expected) << threads;
    }
  }
}

TEST(Combine, GivesTheSameWithEveryKernelAndAnyNumberOfTerms) {
  Prng random = seeded(4);
  for (const Ring& ring : all_rings()) {
    for (int inputs = 1; inputs <= 20; ++inputs) {
      const Coefficients coefficients = random_coefficients(ring, 1 + 2 * inputs, inputs, random);
      const auto blocks = random_matrices(ring, static_cast<std::size_t>(inputs), 3, 60, random);
      for (Kernel kernel : available_kernels()) {
        KernelForTests chosen(kernel);
        expect_the_definition(coefficients, blocks);
      }
    }
  }
}

TEST(Combine, OverwritesWhateverItsResultsHeldBefore) {
  // 20 MB of results: some kernels then write past the caches.
  Prng random = seeded(5);
  for (const char* name : {"rns4", "m31"}) {
    const auto blocks = random_matrices(ring(name), 3, 50, 1000, random);
    const Coefficients coefficients = random_coefficients(ring(name), 100, 3, random);
    std::vector<std::vector<RingMatrix>> made;
    for (Kernel kernel : available_kernels()) {
      KernelForTests chosen(kernel);
      made.push_back(random_matrices(ring(name), 100, 50, 1000, random));
      combine_into(coefficients, pointers(blocks), made.back());
      EXPECT_TRUE(made.back() == made.front());
      EXPECT_EQ(made.back()[7].get(0, 4, 1000), 0u) << "padding";
    }
    EXPECT_TRUE(combine(coefficients, pointers(blocks)) == made.front());
  }
}

// Only the part of `out` at (row, col) may differ from `before`, by what the definition says.
void expect_only_the_part(const Coefficients& coefficients, const std::vector<RingMatrix>& blocks,
                          int output, const RingMatrix& before, const RingMatrix& out,
                          Place place) {
  for (int plane = 0; plane < out.ring().planes(); ++plane) {
    for (std::size_t r = 0; r < out.rows(); ++r) {
      for (std::size_t c = 0; c < out.stride(); ++c) {
        const bool inside = r >= place.row && r < place.row + blocks[0].rows() && c >= place.col &&
                            c < place.col + blocks[0].cols();
        Residue expected = before.get(plane, r, c);
        if (inside) {
          const Residue sum =
              definition(coefficients, blocks, plane, output, r - place.row, c - place.col);
          expected = place.add ? add(expected, sum, out.ring().prime(plane)) : sum;
        }
        ASSERT_EQ(out.get(plane, r, c), expected) << out.ring().name() << " " << r << " " << c;
      }
    }
  }
}

TEST(CombineRow, ChangesNothingButItsPlace) {
  Prng random = seeded(6);
  for (const Ring& ring : all_rings()) {
    for (Kernel kernel : available_kernels()) {
      KernelForTests chosen(kernel);
      for (std::size_t cols : {0, 1, 15, 16, 17, 63, 64, 65, 100}) {
        for (const Place place : {Place{0, 0, false}, Place{2, 3, false}, Place{1, 64, true}}) {
          const auto blocks = random_matrices(ring, 7, 3, cols, random);
          const Coefficients coefficients = random_coefficients(ring, 4, 7, random);
          RingMatrix out = uniform(ring, 6, 170, random);
          const RingMatrix before = out.clone();
          combine_row(coefficients, 2, pointers(blocks), out, place.row, place.col, place.add);
          expect_only_the_part(coefficients, blocks, 2, before, out, place);
        }
      }
    }
  }
}

TEST(CombineRow, TakesItsOwnResultAsABlock) {
  Prng random = seeded(7);
  for (const char* name : {"rns4", "m31"}) {
    for (Kernel kernel : available_kernels()) {
      KernelForTests chosen(kernel);
      for (const bool add : {false, true}) {
        auto blocks = random_matrices(ring(name), 5, 4, 77, random);
        const Coefficients coefficients = random_coefficients(ring(name), 2, 5, random);
        RingMatrix out = blocks[3].clone();
        std::vector<const RingMatrix*> in = pointers(blocks);
        in[3] = &out;
        combine_row(coefficients, 1, in, out, 0, 0, add);
        expect_only_the_part(coefficients, blocks, 1, blocks[3], out, {0, 0, add});
      }
    }
  }
}

TEST(CombineRow, SharesModelsTheSameWithEveryKernel) {
  // Two terms, the first of factor 1, long enough for a look-up; in place, too.
  Prng random = seeded(9);
  for (const Ring& ring : all_rings()) {
    Coefficients coefficients = random_coefficients(ring, 5, 2, random);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (int o = 0; o < 5; ++o) coefficients.at(plane, o, 0) = 1;
    }
    for (Kernel kernel : available_kernels()) {
      KernelForTests chosen(kernel);
      auto blocks = random_matrices(ring, 2, 4, 464, random);
      RingMatrix out = uniform(ring, 4, 1000, random), before = out.clone();
      combine_row(coefficients, 3, pointers(blocks), out, 0, 477);
      expect_only_the_part(coefficients, blocks, 3, before, out, {0, 477, false});
      RingMatrix own = blocks[1].clone();
      combine_row(coefficients, 4, std::vector<const RingMatrix*>{&blocks[0], &own}, own);
      expect_only_the_part(coefficients, blocks, 4, blocks[1], own, {});
    }
  }
}

TEST(CombineParts, WritesEachOutputIntoItsMatrix) {
  Prng random = seeded(8);
  for (const Ring& ring : all_rings()) {
    const auto blocks = random_matrices(ring, 2, 4, 30, random);
    const Coefficients coefficients = random_coefficients(ring, 3, 2, random);
    auto outs = random_matrices(ring, 3, 4, 90, random);
    std::vector<RingMatrix> before;
    std::vector<RingMatrix*> targets;
    for (RingMatrix& out : outs) {
      before.push_back(out.clone());
      targets.push_back(&out);
    }
    combine_parts(coefficients, pointers(blocks), targets, {0, 31, false});
    for (int o = 0; o < 3; ++o) {
      const auto at = static_cast<std::size_t>(o);
      expect_only_the_part(coefficients, blocks, o, before[at], outs[at], {0, 31, false});
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
