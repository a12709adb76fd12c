// Whether all clients have the same rows, from what each of them tells.
#include "fedvs/protocol/client/row_comparison.h"

#include <gmock/gmock.h>

namespace fedvs::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kClients = 4;
RowCheck check(int from, std::uint64_t rows, std::uint8_t digest = 0) {
  RowCheck made{.from = from, .rows = rows, .digest = {}};
  made.digest[0] = digest;
  return made;
}
RowComparison comparison_of(const std::vector<std::uint64_t>& rows, int self = 0) {
  RowComparison comparison(kClients, self, /*line_up=*/false);
  for (int n = 0; n < kClients; ++n) comparison.take(check(n, rows[static_cast<std::size_t>(n)]));
  return comparison;
}

TEST(RowComparison, IsMadeOncePerLifeWhenTheLastClientHasTold) {
  RowComparison comparison(kClients, 0, /*line_up=*/false);
  for (int life = 0; life < 2; ++life) {
    for (int n = 0; n < kClients; ++n) EXPECT_EQ(comparison.take(check(n, 9)), n == kClients - 1);
    EXPECT_FALSE(comparison.take(check(1, 9)));
    comparison.begin_life();
  }
}

TEST(RowComparison, FindsWhoIsNotWithMostClients) {
  EXPECT_THAT(comparison_of({9, 9, 9, 9}).differing(), IsEmpty());
  EXPECT_THAT(comparison_of({9, 9, 8, 9}).differing(), ElementsAre(2));
  EXPECT_THAT(comparison_of({8, 9, 9, 9}).differing(), ElementsAre(0));  // the client itself
}

TEST(RowComparison, FindsWhoIsNotWithItWhereMostDoNotAgree) {
  EXPECT_THAT(comparison_of({9, 8, 8, 9}).differing(), ElementsAre(1, 2));
  EXPECT_THAT(comparison_of({9, 8, 8, 9}, /*self=*/1).differing(), ElementsAre(0, 3));
}

TEST(RowComparison, TellsRowsOfOtherIdsFromAsManyOfTheSame) {
  RowComparison comparison(kClients, 0, /*line_up=*/false);
  for (int n = 0; n < kClients; ++n) comparison.take(check(n, 9, n == 3 ? 1 : 0));
  EXPECT_THAT(comparison.differing(), ElementsAre(3));
}

TEST(RowComparison, WhatWasFoundStaysFoundOverLivesUntilItIsDoubted) {
  RowComparison comparison(kClients, 0, /*line_up=*/false);
  EXPECT_TRUE(comparison.find_to_line_up());
  EXPECT_FALSE(comparison.find_to_line_up());
  comparison.begin_life();
  EXPECT_TRUE(comparison.line_up());
  comparison.doubt();
  EXPECT_FALSE(comparison.line_up());
}

TEST(RowComparison, KeepsAFewEarlyRequestsOfEachClient) {
  RowComparison comparison(kClients, 0, /*line_up=*/false);
  for (std::size_t row = 0; row < 9; ++row) comparison.keep({1, data::Part::kTrain, row});
  comparison.keep({2, data::Part::kTrain, 0});
  EXPECT_EQ(comparison.take_requests().size(), 5u);
  EXPECT_THAT(comparison.take_requests(), IsEmpty());
}

}  // namespace
}  // namespace fedvs::protocol
