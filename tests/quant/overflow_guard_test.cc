#include "fedvs/quant/overflow_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/properties.h"
#include "tests/support/rings.h"

namespace fedvs::quant {
namespace {

using fedvs::testing::ring;

TEST(OverflowGuard, IsExactAtTheBound) {
  // Given m31 and N = 1: the bound is (2^31 - 2) / 2 = 1073741823 = 3 * 357913941.
  OverflowGuard guard(ring("m31"), 1);
  const std::vector<std::int32_t> row{0, 3, 0};
  guard.add_rows(row, 3);
  EXPECT_EQ(guard.max_row_norm_squared(), 9u);
  // Then a column of norm 357913941 is allowed, and one with the least bit more is not.
  EXPECT_TRUE(guard.allows(std::vector<std::int32_t>{0, 0, 357913941}));
  EXPECT_TRUE(guard.allows(std::vector<std::int32_t>{0, 0, -357913941}));
  EXPECT_FALSE(guard.allows(std::vector<std::int32_t>{1, 0, 357913941}));
  EXPECT_FALSE(guard.allows(std::vector<std::int32_t>{0, 0, 357913942}));
}

TEST(OverflowGuard, DividesTheBoundAmongTheClients) {
  // (M-1) / (2N) = 1073741823 / 7 = 153391689: whole, and next to it.
  OverflowGuard guard(ring("m31"), 7);
  guard.add_rows(std::vector<std::int32_t>{1}, 1);
  EXPECT_TRUE(guard.allows(std::vector<std::int32_t>{153391689}));
  EXPECT_FALSE(guard.allows(std::vector<std::int32_t>{153391690}));
}

TEST(OverflowGuard, IsExactForTheWidestRingAndTheLongestRows) {
  // Given a row of norm 2^33, whose square does not fit 64 bits.
  OverflowGuard guard(ring("rns8"), 1);
  const std::vector<std::int32_t> row(16, std::numeric_limits<std::int32_t>::min());
  guard.add_rows(row, 16);
  EXPECT_EQ(guard.max_row_norm_squared(), std::numeric_limits<std::uint64_t>::max());
  // Then the bound on a column is floor((M-1) / 2 / 2^33).
  const auto most = static_cast<std::int32_t>(((ring("rns8").modulus() - 1) / 2) >> 33);
  EXPECT_TRUE(guard.allows(std::vector<std::int32_t>{most}));
  EXPECT_FALSE(guard.allows(std::vector<std::int32_t>{most + 1}));
}

TEST(OverflowGuard, KeepsTheLongestRowItHasSeen) {
  OverflowGuard guard(ring("rns4"), 3);
  EXPECT_TRUE(guard.allows(std::vector<std::int32_t>{2147483647}));  // no rows, no sums
  guard.add_rows(std::vector<std::int32_t>{3, 4, 1, 1}, 2);
  EXPECT_EQ(guard.max_row_norm_squared(), 25u);
  guard.add_rows(std::vector<std::int32_t>{1, 2}, 2);
  EXPECT_EQ(guard.max_row_norm_squared(), 25u);
}

TEST(OverflowGuard, TakesNarrowRowsForTheIntegersTheyAre) {
  for (const std::size_t cols : {1u, 2u, 7u, 29u, 64u}) {
    OverflowGuard narrow(ring("rns4"), 3), wide(ring("rns4"), 3);
    std::vector<std::int16_t> rows(5 * cols, std::numeric_limits<std::int16_t>::min());
    for (std::size_t i = 0; i < rows.size(); i += 3) rows[i] = static_cast<std::int16_t>(100 * i);
    narrow.add_rows(rows, cols);
    wide.add_rows(std::vector<std::int32_t>(rows.begin(), rows.end()), cols);
    EXPECT_EQ(narrow.max_row_norm_squared(), wide.max_row_norm_squared());
  }
}

TEST(OverflowGuard, SumsSquaresOfAllSizesExactly) {
  // Given rows as wide as any loop over several values at once, and values next to all extremes
  const std::vector<std::int32_t> values{
      0, 1, -1, 65535, -65536, 65536, 99999, std::numeric_limits<std::int32_t>::max()};
  for (std::size_t cols = 1; cols < 40; ++cols) {
    OverflowGuard guard(ring("rns8"), 1);
    std::vector<std::int32_t> row(cols);
    field::u128 expected = 0;
    for (std::size_t i = 0; i < cols; ++i) {
      row[i] = i == 3 ? -values[7] : values[(i * 5 + cols) % 7];
      expected += static_cast<std::uint64_t>(std::int64_t{row[i]} * row[i]);
    }
    guard.add_rows(row, cols);
    EXPECT_EQ(guard.max_row_norm_squared(), static_cast<std::uint64_t>(expected)) << cols;
  }
}

TEST(OverflowGuard, NamesTheNarrowestRingThatWouldDo) {
  OverflowGuard guard(ring("rns4"), 5);
  guard.add_rows(std::vector<std::int32_t>{4000, 3000}, 2);
  const auto named = [&](std::int32_t value) {
    return guard.ring_for(std::vector<std::int32_t>{value, 0});
  };
  EXPECT_EQ(named(1), "m31");
  EXPECT_FALSE(guard.allows(std::vector<std::int32_t>{1'000'000, 0}));
  EXPECT_EQ(named(1'000'000), "rns5");
  EXPECT_EQ(named(2'000'000'000), "rns6");
  guard.add_rows(std::vector<std::int32_t>{2'000'000'000, 0}, 2);
  EXPECT_EQ(named(2'000'000'000), "");
}

RC_GTEST_PROP(OverflowGuard, NoSumOfClientsAtTheBoundWraps, ()) {
  // Given N clients, each with one row and the longest column along that row that is allowed, all
  // of one sign: the largest sum that may occur.
  const auto names = field::Ring::names();
  const field::Ring chosen = ring(*rc::gen::elementOf(names));
  const auto parties = *rc::gen::inRange(1, 40);
  const auto sign = *rc::gen::element(-1, 1);
  const auto width = *rc::gen::inRange<std::size_t>(1, 6);
  const auto row = *rc::gen::container<std::vector<std::int32_t>>(
      width, rc::gen::inRange(1, *rc::gen::element(2, 1000, 1'000'000)));
  OverflowGuard guard(chosen, parties);
  guard.add_rows(row, width);
  const auto longest = *std::max_element(row.begin(), row.end());
  const auto times = [&](std::int32_t factor) {
    std::vector<std::int32_t> column;
    for (std::int32_t x : row) column.push_back(sign * factor * x);
    return column;
  };
  std::int32_t most = 0, beyond = 2'000'000'000 / longest + 1;
  while (beyond - most > 1) {
    const std::int32_t middle = most + (beyond - most) / 2;
    (guard.allows(times(middle)) ? most : beyond) = middle;
  }
  const auto column = times(most);

  // When the products are summed in the ring, then the sum decodes exactly.
  field::RingMatrix sum(chosen, 1, 1);
  std::int64_t one = 0;
  for (std::size_t i = 0; i < width; ++i) one += std::int64_t{row[i]} * column[i];
  for (int plane = 0; plane < chosen.planes(); ++plane) {
    const std::uint32_t p = chosen.prime(plane);
    for (int n = 0; n < parties; ++n) {
      sum.set(plane, 0, 0, field::add(sum.get(plane, 0, 0), chosen.residue(one, plane), p));
    }
  }
  RC_ASSERT(sum.to_integers()[0] == parties * one);
}

}  // namespace
}  // namespace fedvs::quant
