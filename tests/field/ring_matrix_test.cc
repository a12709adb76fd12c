#include "fedvs/field/ring_matrix.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::ring;
using fedvs::testing::seeded;

TEST(RingMatrix, RowsAreAlignedAndPaddedWithZeros) {
  for (const Ring& ring : all_rings()) {
    Prng random = seeded(1);
    const RingMatrix matrix = uniform(ring, 3, 17, random);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix.bytes().data()) % 64, 0u);
    EXPECT_EQ(matrix.stride() * static_cast<std::size_t>(ring.word_bytes()) % 64, 0u);
    EXPECT_EQ(matrix.wire_bytes(), 3u * 17u * static_cast<std::size_t>(ring.bytes_per_element()));
    EXPECT_EQ(matrix.bytes().size(), matrix.size_bytes());
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t c = 17; c < matrix.stride(); ++c) EXPECT_EQ(matrix.get(plane, 2, c), 0u);
    }
  }
}

TEST(RingMatrix, BringsExtremeAndRandomIntegersBack) {
  constexpr auto kMost = std::numeric_limits<std::int32_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int32_t>::min();
  std::vector<std::int32_t> integers{0, 1, -1, kMost, kLeast, kMost - 1, kLeast + 1, 250, -251};
  Prng random = seeded(2);
  while (integers.size() < 7 * 301) {
    integers.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(random.next_u64())));
  }
  for (const Ring& ring : all_rings()) {
    // Residues one by one, by the definition of phi.
    const auto matrix = RingMatrix::from_integers(ring, 7, 301, integers);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < integers.size(); ++i) {
        ASSERT_EQ(matrix.get(plane, i / 301, i % 301), ring.residue(integers[i], plane))
            << integers[i] << " in " << ring.name();
      }
    }
    // And back, up to multiples of M.
    const auto back = matrix.to_integers();
    const auto half = static_cast<std::int64_t>((ring.modulus() - 1) / 2);
    for (std::size_t i = 0; i < integers.size(); ++i) {
      ASSERT_LE(std::abs(back[i]), half);
      ASSERT_EQ((back[i] - integers[i]) % static_cast<std::int64_t>(ring.modulus()), 0);
    }
  }
}

TEST(RingMatrix, AddsModuloEveryPrime) {
  Prng random = seeded(3);
  for (const Ring& ring : all_rings()) {
    const RingMatrix a = uniform(ring, 5, 130, random), b = uniform(ring, 6, 130, random);
    RingMatrix sum = a.clone();
    add_into(sum, b);  // the sixth row of b is not used
    RingMatrix top = fedvs::testing::largest_residues(ring, 2, 70);
    add_into(top, top);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      const std::uint32_t p = ring.prime(plane);
      for (std::size_t i = 0; i < 5 * 130; ++i) {
        ASSERT_EQ(sum.get(plane, i / 130, i % 130),
                  add(a.get(plane, i / 130, i % 130), b.get(plane, i / 130, i % 130), p));
      }
      EXPECT_EQ(top.get(plane, 1, 69), p - 2);
    }
  }
}

TEST(RingMatrix, PastesAPartIntoItsPlace) {
  for (const Ring& ring : all_rings()) {
    Prng random = seeded(4);
    const RingMatrix part = uniform(ring, 2, 3, random);
    RingMatrix whole(ring, 4, 9);
    whole.paste(part, 1, 5);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < 36; ++i) {
        const std::size_t r = i / 9, c = i % 9;
        const bool inside = r >= 1 && r < 3 && c >= 5 && c < 8;
        ASSERT_EQ(whole.get(plane, r, c), inside ? part.get(plane, r - 1, c - 5) : 0u);
      }
    }
  }
}

TEST(RingMatrix, ComparesContentsNotPadding) {
  Prng random = seeded(5);
  const RingMatrix a = uniform(ring("rns4"), 3, 5, random);
  RingMatrix b = a.clone();
  EXPECT_TRUE(a == b);
  b.row<std::uint8_t>(0, 0)[5] = 1;
  EXPECT_TRUE(a == b);
  b.set(3, 2, 4, b.get(3, 2, 4) == 0 ? 1 : 0);
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(a == RingMatrix(ring("rns4"), 3, 4));
  EXPECT_TRUE(RingMatrix() == RingMatrix());
}

TEST(RingMatrix, WipesEveryByte) {
  Prng random = seeded(6);
  RingMatrix secret = uniform(ring("m31"), 9, 9, random);
  secret.wipe();
  EXPECT_TRUE(secret == RingMatrix(ring("m31"), 9, 9));
}

TEST(RingMatrix, MayBeEmpty) {
  const RingMatrix none(ring("rns4"), 0, 5);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.size_bytes(), 0u);
  EXPECT_TRUE(none.to_integers().empty());
  EXPECT_TRUE(none.clone() == none);
  EXPECT_TRUE(RingMatrix().clone().empty());
}

TEST(RingMatrix, UniformUsesEveryResidueOfEveryPlane) {
  Prng random = seeded(7);
  const Ring eight = ring("rns8");
  const RingMatrix matrix = uniform(eight, 100, 100, random);
  for (int plane = 0; plane < eight.planes(); ++plane) {
    std::vector<int> counts(eight.prime(plane));
    for (std::size_t i = 0; i < 10'000; ++i) ++counts[matrix.get(plane, i / 100, i % 100)];
    EXPECT_GT(*std::min_element(counts.begin(), counts.end()), 0);
  }
}

}  // namespace
}  // namespace fedvs::field
