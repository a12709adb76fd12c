#include "fedvs/sim/client_rows.h"

#include <gtest/gtest.h>

#include "tests/support/agreement_fixture.h"
#include "tests/support/float_tables.h"

namespace fedvs::sim {
namespace {

using fedvs::testing::normal_table;
using fedvs::testing::small_agreement;
using protocol::LocalModel;

struct SevenClients {
  protocol::Agreement agreement = small_agreement();
  std::vector<data::Prepared> clients = std::vector<data::Prepared>(7);

  SevenClients() {
    const std::size_t rows[data::kParts] = {40, 6, 8};
    for (std::size_t n = 0; n < clients.size(); ++n) {
      for (std::size_t part = 0; part < data::kParts; ++part) {
        clients[n].features[part] = normal_table(rows[part], 2, 10 * n + part);
      }
    }
  }
};

std::vector<std::int32_t> all_integers(const model::FixedRows& rows) {
  std::vector<std::int32_t> integers(rows.rows() * rows.cols());
  rows.integers(0, rows.rows(), integers);
  return integers;
}

TEST(RowsSideBySide, AreThoseOfEachClientAloneAtItsPlaceInTheCodedRows) {
  SevenClients given;
  std::vector<LocalModel::Rows> alone;
  for (std::size_t n = 0; n < 7; ++n) {
    alone.push_back(
        LocalModel::own_rows(given.agreement, static_cast<int>(n), given.clients[n].features));
  }
  const auto together = rows_side_by_side(given.agreement, given.clients);
  for (std::size_t part = 0; part < data::kParts; ++part) {
    const model::RowBlock& block = together[0][part].block();
    EXPECT_EQ(block.cols(), given.agreement.total_padded_inputs());
    for (std::size_t n = 0; n < 7; ++n) {
      EXPECT_EQ(&together[n][part].block(), &block);
      EXPECT_EQ(all_integers(together[n][part]), all_integers(alone[n][part]));
      std::vector<std::int32_t> row(alone[n][part].cols()), there = row;
      alone[n][part].integers(5, row);
      block.integers(5, given.agreement.first_padded_input(static_cast<int>(n)), there);
      EXPECT_EQ(there, row);
    }
  }
}

TEST(RowsSideBySide, ConsumeTheFeatures) {
  SevenClients given;
  rows_side_by_side(given.agreement, given.clients);
  for (const auto& client : given.clients) {
    for (const auto& table : client.features) EXPECT_TRUE(table.values.empty());
  }
}

TEST(RowsSideBySide, TakeFourBytesOnlyInPartsWhereOneClientsDoNotFitTwo) {
  SevenClients given;
  given.clients[6].features[1].values.back() = 1000;
  given.agreement.scales.l_x = 9;
  const auto rows = rows_side_by_side(given.agreement, given.clients);
  EXPECT_TRUE(rows[0][0].is_narrow());
  EXPECT_FALSE(rows[0][1].is_narrow());
  EXPECT_EQ(all_integers(rows[6][1])[5 * 3 + 1], 512'000);
  EXPECT_TRUE(rows[0][2].is_narrow());
}

}  // namespace
}  // namespace fedvs::sim
