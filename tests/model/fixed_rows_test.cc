#include "fedvs/model/fixed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fedvs/model/polynomial_network.h"
#include "fedvs/quant/fixed_point.h"
#include "tests/support/float_tables.h"
#include "tests/support/rings.h"

namespace fedvs::model {
namespace {

using fedvs::testing::normal_table;

std::vector<std::int32_t> all_integers(const FixedRows& rows) {
  std::vector<std::int32_t> integers(rows.rows() * rows.cols());
  rows.integers(0, rows.rows(), integers);
  return integers;
}

// Round(2^l_x x^) one by one.
std::vector<std::int32_t> by_definition(const data::Table& features, int degree, int l_x) {
  std::vector<std::int32_t> integers;
  for (float power : raise_to_powers(features, degree).values) {
    integers.push_back(quant::round_half_up(static_cast<double>(power), l_x));
  }
  return integers;
}

TEST(FixedRows, AreTheRoundedPowersAndTheOne) {
  for (const std::size_t cols : {1u, 3u, 16u, 28u, 33u}) {
    for (const int degree : {1, 2, 3}) {
      for (const int l_x : {0, 4, 9, 12}) {
        const auto features = normal_table(57, cols, 10 * cols);
        const FixedRows rows(features, degree, l_x);
        EXPECT_EQ(rows.rows(), 57u);
        EXPECT_EQ(rows.cols(), cols * static_cast<std::size_t>(degree) + 1);
        EXPECT_EQ(rows.unit(), std::ldexp(1.0f, -l_x));
        EXPECT_EQ(all_integers(rows), by_definition(features, degree, l_x))
            << cols << " columns, degree " << degree << ", l_x " << l_x;
      }
    }
  }
}

TEST(FixedRows, RoundHalvesUpOnBothSidesOfZero) {
  const data::Table halves{1, 8, {0.5f, -0.5f, 1.5f, -1.5f, 0.49999997f, -0.50000006f, -0.0f, -2}};
  EXPECT_THAT(all_integers(FixedRows(halves, 1, 0)),
              ::testing::ElementsAre(1, 0, 2, -1, 0, -1, 0, -2, 1));
}

TEST(FixedRows, TakeTwoBytesEachUntilOneDoesNotFit) {
  // Given tables whose last value is the largest and the least that 16 bits hold, and one beyond.
  const auto ending_with = [](float last) {
    data::Table table = normal_table(10, 3, 1);
    table.values.back() = last;
    return FixedRows(table, 1, 0);
  };
  for (const float last : {32767.0f, -32768.0f}) {
    const FixedRows rows = ending_with(last);
    EXPECT_TRUE(rows.is_narrow());
    EXPECT_EQ(all_integers(rows)[10 * 4 - 2], static_cast<std::int32_t>(last));
    EXPECT_LT(rows.block().bytes(), 10u * 4u * 2u + 128u);
  }
  for (const float last : {32768.0f, -32769.0f, 2147483520.0f, -2147483520.0f}) {
    const FixedRows rows = ending_with(last);
    EXPECT_FALSE(rows.is_narrow());
    EXPECT_EQ(all_integers(rows)[10 * 4 - 2], static_cast<std::int32_t>(last));
    EXPECT_GE(rows.block().bytes(), 10u * 4u * 4u);
  }
}

TEST(FixedRows, GiveTheSameRowAloneAndAmongOthers) {
  for (const int l_x : {9, 15}) {  // 2 and 4 bytes
    const FixedRows rows(normal_table(20, 5, 3), 2, l_x);
    EXPECT_EQ(rows.is_narrow(), l_x == 9);
    const auto all = all_integers(rows);
    std::vector<std::int32_t> one(rows.cols()), some(3 * rows.cols());
    rows.integers(7, one);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + 7 * 11));
    rows.integers(17, 20, some);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 17 * 11));
    rows.integers(20, 20, std::span<std::int32_t>());
  }
}

TEST(FixedRows, LengthenTheOverflowGuardAsTheirIntegersDo) {
  for (const int l_x : {9, 15}) {
    const FixedRows rows(normal_table(20, 5, 3), 2, l_x);
    quant::OverflowGuard expected(fedvs::testing::ring("rns4"), 3), guard = expected;
    expected.add_rows(all_integers(rows), rows.cols());
    rows.add_to(guard);
    EXPECT_EQ(guard.max_row_norm_squared(), expected.max_row_norm_squared());
  }
}

TEST(FixedRows, SideBySideAreThoseOfEachAlone) {
  for (const bool narrow : {true, false}) {
    // Given a block for 5 and 11 inputs, with room before, between and behind,
    const auto left = normal_table(40, 4, 1), right = normal_table(40, 5, 2);
    const auto block = std::make_shared<RowBlock>(40, 24, narrow);
    // when both are put in,
    const FixedRows a(left, 1, 9, block, 2), b(right, 2, 9, block, 8);
    // then each has its own integers and bounds, whatever their size in memory,
    EXPECT_EQ(all_integers(a), by_definition(left, 1, 9));
    EXPECT_EQ(all_integers(b), by_definition(right, 2, 9));
    quant::OverflowGuard alone(fedvs::testing::ring("rns4"), 3), beside = alone;
    FixedRows(right, 2, 9).add_to(alone);
    b.add_to(beside);
    EXPECT_EQ(beside.max_row_norm_squared(), alone.max_row_norm_squared());
    // and the room around them is zero.
    std::vector<std::int32_t> row(24);
    for (std::size_t r = 0; r < 40; ++r) {
      block->integers(r, 0, row);
      for (const std::size_t c : {0, 1, 7, 19, 20, 21, 22, 23}) EXPECT_EQ(row[c], 0);
    }
  }
}

TEST(FixedRows, FitTwoBytesByTheirExtremesWhereverTheseAre) {
  for (std::size_t at = 0; at < 6; ++at) {
    data::Table table{3, 2, std::vector<float>(6, 1.0f)};
    table.values[at] = -181;  // its square is 32761
    EXPECT_TRUE(FixedRows::fit_narrow(table, 2, 0));
    table.values[at] = -182;
    EXPECT_TRUE(FixedRows::fit_narrow(table, 1, 0));
    EXPECT_FALSE(FixedRows::fit_narrow(table, 2, 0));
  }
}

TEST(FixedRows, MayBeNone) {
  const FixedRows none(data::Table{0, 4, {}}, 2, 9);
  EXPECT_EQ(none.rows(), 0u);
  EXPECT_EQ(none.cols(), 9u);
  EXPECT_EQ(FixedRows().rows(), 0u);
}

TEST(FixedRowsDeathTest, RefuseWhatDoesNotFit32Bits) {
  const auto made_of = [](float value) { FixedRows(data::Table{1, 1, {value}}, 1, 0); };
  EXPECT_DEATH(made_of(2147483648.0f), "32 bits");
  EXPECT_DEATH(made_of(-2147483648.0f), "32 bits");
  EXPECT_DEATH(made_of(NAN), "32 bits");
}

TEST(FixedRowsDeathTest, RefuseABlockThatIsTooNarrow) {
  const auto put_in = [](std::size_t cols, bool narrow) {
    FixedRows({1, 1, {40000.0f}}, 1, 0, std::make_shared<RowBlock>(1, cols, narrow), 3);
  };
  put_in(5, false);
  EXPECT_DEATH(put_in(5, true), "all integers fit");
  EXPECT_DEATH(put_in(4, false), "room");
}

}  // namespace
}  // namespace fedvs::model
