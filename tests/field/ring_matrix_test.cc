#include "fedvs/field/ring_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "fedvs/field/kernel.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::ring;
using fedvs::testing::seeded;

std::vector<std::pair<Kernel, Ring>> all_kernels_and_rings() {
  std::vector<std::pair<Kernel, Ring>> all;
  for (Kernel kernel : available_kernels()) {
    for (const Ring& ring : all_rings()) all.emplace_back(kernel, ring);
  }
  return all;
}

// By the definition of rejection: draw until one fits.
Residue next_uniform(const Ring& ring, int plane, Prng& random) {
  const auto bytes = static_cast<std::size_t>(ring.word_bytes());
  while (true) {
    std::array<std::uint8_t, 4> draw{};
    random.fill(std::span(draw).first(bytes));
    Residue value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= static_cast<Residue>(draw[i]) << (8 * i);
    if (bytes == 4) value &= 0x7fffffff;
    if (value < ring.prime(plane)) return value;
  }
}

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
  for (const auto& [kernel, ring] : all_kernels_and_rings()) {
    KernelForTests chosen(kernel);
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

TEST(RingMatrix, CentresBothEndsOfItsRange) {
  for (const auto& [kernel, ring] : all_kernels_and_rings()) {
    KernelForTests chosen(kernel);
    const auto half = static_cast<std::int64_t>((ring.modulus() - 1) / 2);
    std::vector<std::int64_t> integers{0, 1, -1, half, -half, half - 1, 1 - half};
    for (std::int64_t i = 1; i < 200; ++i) integers.push_back(half / i * (i % 2 == 0 ? 1 : -1));
    RingMatrix matrix(ring, 1, integers.size());
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < integers.size(); ++i) {
        matrix.set(plane, 0, i, ring.residue(integers[i], plane));
      }
    }
    EXPECT_EQ(matrix.to_integers(), integers) << ring.name();
  }
}

TEST(RingMatrix, PutsIntegersInTheirPlace) {
  const std::vector<std::int32_t> integers{5, -5, 1 << 30, -(1 << 30), 0, 77};
  for (const auto& [kernel, ring] : all_kernels_and_rings()) {
    KernelForTests chosen(kernel);
    Prng random = seeded(8);
    RingMatrix matrix = uniform(ring, 4, 9, random);
    const RingMatrix before = matrix.clone();
    put_integers(matrix, 1, 5, 2, 3, integers);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < 4 * matrix.stride(); ++i) {
        const std::size_t r = i / matrix.stride(), c = i % matrix.stride();
        const bool inside = r >= 1 && r < 3 && c >= 5 && c < 8;
        ASSERT_EQ(matrix.get(plane, r, c), inside
                                               ? ring.residue(integers[(r - 1) * 3 + c - 5], plane)
                                               : before.get(plane, r, c));
      }
    }
  }
}

TEST(RingMatrix, PutsAllIntegersOf16BitsAsTheirResidues) {
  std::vector<std::int16_t> integers;
  for (int i = -32768; i < 32768; ++i) integers.push_back(static_cast<std::int16_t>(i));
  for (const auto& [kernel, ring] : all_kernels_and_rings()) {
    KernelForTests chosen(kernel);
    RingMatrix matrix(ring, 1, integers.size());
    put_integers(matrix, 0, 0, 1, integers.size(), integers);
    for (int plane = 0; plane < ring.planes(); ++plane) {
      for (std::size_t i = 0; i < integers.size(); ++i) {
        ASSERT_EQ(matrix.get(plane, 0, i), ring.residue(integers[i], plane)) << integers[i];
      }
    }
  }
}

TEST(RingMatrix, PutsAnyNumberOf16BitIntegersAndNothingBesideThem) {
  for (const auto& [kernel, ring] : all_kernels_and_rings()) {
    KernelForTests chosen(kernel);
    for (std::size_t count = 0; count < 140; ++count) {
      std::vector<std::int16_t> integers;
      for (std::size_t i = 0; i < count; ++i) {
        integers.push_back(static_cast<std::int16_t>(7919 * i));
      }
      Prng random = seeded(8);
      RingMatrix matrix = uniform(ring, 1, count + 9, random), expected = matrix.clone();
      put_integers(matrix, 0, 5, 1, count, integers);
      put_integers(expected, 0, 5, 1, count,
                   std::vector<std::int32_t>(integers.begin(), integers.end()));
      ASSERT_EQ(matrix, expected) << count;
    }
  }
}

TEST(RingMatrix, UnsetHasZeroPadding) {
  for (const Ring& ring : all_rings()) {
    for (std::size_t cols : {1, 16, 63, 64, 65}) {
      const RingMatrix matrix = RingMatrix::unset(ring, 3, cols);
      for (int plane = 0; plane < ring.planes(); ++plane) {
        for (std::size_t c = cols; c < matrix.stride(); ++c) {
          EXPECT_EQ(matrix.get(plane, 2, c), 0u);
        }
      }
    }
  }
}

TEST(RingMatrix, UniformDrawsPlaneAfterPlaneAndRowAfterRow) {
  for (const Ring& ring : all_rings()) {
    for (std::size_t cols : {64, 65}) {  // with and without padding
      Prng random = seeded(9), same = seeded(9);
      const RingMatrix matrix = uniform(ring, 3, cols, random);
      for (int plane = 0; plane < ring.planes(); ++plane) {
        for (std::size_t r = 0; r < 3; ++r) {
          for (std::size_t c = 0; c < cols; ++c) {
            ASSERT_EQ(matrix.get(plane, r, c), next_uniform(ring, plane, same));
          }
        }
      }
      EXPECT_EQ(random.next_u64(), same.next_u64()) << "and nothing more";
    }
  }
}

TEST(RingMatrix, AddsModuloEveryPrime) {
  Prng random = seeded(3);
  for (const auto& [kernel, ring] : all_kernels_and_rings()) {
    KernelForTests chosen(kernel);
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

TEST(RingMatrix, InAMappedFileHoldsTheSameAsInMemory) {
  const ScratchFolder folder;
  for (const Ring& ring : all_rings()) {
    Prng random = seeded(6);
    const RingMatrix original = uniform(ring, 5, 33, random);
    {
      auto memory = MappedMemory::create(folder / "m", RingMatrix::size_bytes(ring, 5, 33)).value();
      memory.keep();
      RingMatrix matrix = RingMatrix::mapped(ring, 5, 33, std::move(memory));
      EXPECT_EQ(matrix, RingMatrix(ring, 5, 33));  // zero at first
      matrix.paste(original, 0, 0);
      RingMatrix moved;
      moved = std::move(matrix);
      EXPECT_EQ(moved, original);
      EXPECT_EQ(moved.clone(), original);
    }
    // When the matrix has gone, then its file opens to the same contents.
    const RingMatrix again = RingMatrix::mapped(
        ring, 5, 33, MappedMemory::open(folder / "m", original.size_bytes()).value());
    EXPECT_EQ(again, original);
    EXPECT_TRUE(std::equal(again.bytes().begin(), again.bytes().end(), original.bytes().begin()));
  }
}

TEST(RingMatrix, TakesItsFileAlongUnlessItIsKept) {
  const ScratchFolder folder;
  {
    auto memory = MappedMemory::create(folder / "m", RingMatrix::size_bytes(ring("rns4"), 3, 9));
    const auto matrix = RingMatrix::mapped(ring("rns4"), 3, 9, std::move(memory).value());
    EXPECT_TRUE(std::filesystem::exists(folder / "m"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
  EXPECT_EQ(RingMatrix::size_bytes(ring("rns4"), 0, 9), 0u);
  EXPECT_TRUE(RingMatrix::mapped(ring("rns4"), 0, 9, {}).empty());
}

TEST(RingMatrixDeathTest, RefusesAFileOfAnotherSize) {
  const ScratchFolder folder;
  auto memory = MappedMemory::create(folder / "m", 64).value();
  EXPECT_DEATH(RingMatrix::mapped(ring("rns4"), 1, 65, std::move(memory)), "the matrix's size");
}

}  // namespace
}  // namespace fedvs::field
