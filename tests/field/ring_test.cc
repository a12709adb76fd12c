#include "fedvs/field/ring.h"

#include <flint/nmod_vec.h>
#include <gmock/gmock.h>

#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::all_rings;
using fedvs::testing::ring;
using fedvs::testing::seeded;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<Residue> residues(const Ring& ring, std::int64_t value) {
  std::vector<Residue> all;
  for (int plane = 0; plane < ring.planes(); ++plane) all.push_back(ring.residue(value, plane));
  return all;
}

TEST(Ring, HasTheSizesOfTheDesign) {
  EXPECT_EQ(ring("m31").modulus(), 2147483647u);
  EXPECT_EQ(ring("m31").bytes_per_element(), 4);
  EXPECT_EQ(ring("rns4").modulus(), 251ull * 241 * 239 * 233);
  EXPECT_EQ(ring("rns4").points(), 233u);
  EXPECT_EQ(ring("rns8").points(), 211u);
  EXPECT_EQ(ring("rns8").bytes_per_element(), 8);
  EXPECT_NEAR(ring("rns4").bits(), 31.6, 0.05);
  EXPECT_NEAR(ring("rns5").bits(), 39.5, 0.1);
  EXPECT_NEAR(ring("rns8").bits(), 62.8, 0.1);
}

TEST(Ring, BringsIntegersBackUpToTheEdges) {
  for (const Ring& ring : all_rings()) {
    const auto half = static_cast<std::int64_t>((ring.modulus() - 1) / 2);
    for (std::int64_t value : {half, half - 1, -half, -half + 1, std::int64_t{0}, std::int64_t{1},
                               std::int64_t{-1}, half / 3, -half / 3}) {
      EXPECT_EQ(ring.integer(residues(ring, value)), value) << ring.name();
    }
    EXPECT_EQ(ring.integer(residues(ring, half + 1)), -half) << ring.name() << " wraps there";
  }
}

TEST(Ring, BringsRandomIntegersBack) {
  Prng random = seeded(1);
  for (const Ring& ring : all_rings()) {
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t draw = random.next_u64() % ring.modulus();
      const std::int64_t value =
          static_cast<std::int64_t>(draw) - static_cast<std::int64_t>((ring.modulus() - 1) / 2);
      ASSERT_EQ(ring.integer(residues(ring, value)), value) << ring.name();
    }
  }
}

TEST(Ring, ArithmeticAgreesWithFlint) {
  Prng random = seeded(2);
  for (const Ring& ring : all_rings()) {
    for (int plane = 0; plane < ring.planes(); ++plane) {
      const std::uint32_t p = ring.prime(plane);
      nmod_t mod;
      nmod_init(&mod, p);
      for (int i = 0; i < 500; ++i) {
        const auto near_top = static_cast<Residue>(p - 1 - random.next_u64() % 3);
        const auto a = i % 4 == 0 ? near_top : static_cast<Residue>(random.next_u64() % p);
        const auto b = static_cast<Residue>(random.next_u64() % (p - 1)) + 1;
        ASSERT_EQ(add(a, b, p), nmod_add(a, b, mod));
        ASSERT_EQ(subtract(a, b, p), nmod_sub(a, b, mod));
        ASSERT_EQ(multiply(a, b, p), nmod_mul(a, b, mod));
        ASSERT_EQ(inverse(b, p), nmod_inv(b, mod));
        ASSERT_EQ(power(a, 12345, p), nmod_pow_ui(a, 12345, mod));
      }
    }
  }
}

TEST(Ring, AnUnknownNameIsRefusedWithTheNearestOne) {
  const auto unknown = Ring::create("rsn4");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kBadJob);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("\"rsn4\""), HasSubstr("mean rns4"),
                                             HasSubstr("m31 and rns4 to rns8")));
  EXPECT_FALSE(Ring::create(""));
  EXPECT_FALSE(Ring::create("rns9"));
}

TEST(RingDeathTest, PrimesMustBeDistinctBytes) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Ring::of_primes("twice", {7, 7}), "distinct");
  EXPECT_DEATH(Ring::of_primes("wide", {257}), "byte primes");
  EXPECT_DEATH(inverse(0, 7), "no inverse");
}

}  // namespace
}  // namespace fedvs::field
