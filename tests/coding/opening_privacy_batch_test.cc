// What the paper's opening tells beyond the sums, by enumeration: three parties, a batch of two
// rows and two columns. Client n has data X_in of rows i = 0, 1 and weights W_jn of columns j = 0,
// 1, all under masks of their own (5^12 in all, counted row masks by row masks). With equal sums,
// the server sees whether the two rows are the same; with the zero mask it does not.
#include <gtest/gtest.h>

#include <array>

#include "tests/coding/three_parties.h"

namespace fedvs::coding {
namespace {

using namespace fedvs::testing;  // NOLINT: the small world of three_parties.h

constexpr std::size_t kMasks = 125;        // of three clients, for one row or one column
using Terms = std::array<Values, 2>;       // of two rows or two columns: one value per client
using ClientShares = std::vector<Values>;  // per client: the shares of the three parties
using TwoUploads = std::array<Values, 2>;  // of one column: of each row, by the three parties

ClientShares share(Polynomial polynomial, const Values& secrets, std::size_t mask) {
  const Values masks = from_index(mask, 3, kPrime);
  ClientShares all;
  for (std::size_t n = 0; n < 3; ++n)
    all.push_back(shares(code(), polynomial, Values{secrets[n], masks[n]}));
  return all;
}

std::vector<ClientShares> share_under_every_mask(Polynomial polynomial, const Values& secrets) {
  std::vector<ClientShares> all;
  for (std::size_t mask = 0; mask < kMasks; ++mask) all.push_back(share(polynomial, secrets, mask));
  return all;
}

Values upload(const ClientShares& row, const ClientShares& column) {
  Values sum(3, 0);
  for (std::size_t n = 0; n < 3; ++n) sum = plus(sum, times(row[n], column[n], kPrime), kPrime);
  return sum;
}

field::Residue sum_of(const Values& row, const Values& column) {
  field::Residue sum = 0;
  for (std::size_t n = 0; n < 3; ++n) sum += row[n] * column[n];
  return static_cast<field::Residue>(sum % kPrime);
}

// How many of the 5^12 masks give uploads that are `seen` for each row, in both columns.
std::uint64_t masks_that_show(const TwoUploads& seen, const Terms& rows, const Terms& columns) {
  const auto first = share_under_every_mask(Polynomial::kData, rows[0]);
  const auto second = share_under_every_mask(Polynomial::kData, rows[1]);
  std::array<std::vector<ClientShares>, 2> models;
  for (std::size_t j = 0; j < 2; ++j) {
    models[j] = share_under_every_mask(Polynomial::kModel, columns[j]);
  }
  std::uint64_t total = 0;
  for (const ClientShares& a : first) {
    // Column masks that give the first row's uploads do not depend on the second row's masks.
    std::array<std::vector<const ClientShares*>, 2> fitting;
    for (std::size_t j = 0; j < 2; ++j) {
      for (const ClientShares& w : models[j]) {
        if (upload(a, w) == seen[0]) fitting[j].push_back(&w);
      }
    }
    for (const ClientShares& b : second) {
      std::array<std::uint64_t, 2> fits{};
      for (std::size_t j = 0; j < 2; ++j) {
        for (const ClientShares* w : fitting[j]) fits[j] += upload(b, *w) == seen[1] ? 1 : 0;
      }
      total += fits[0] * fits[1];
    }
  }
  return total;
}

// Two batches with all four sums 1: of two rows that are equal, and of two that are not.
const Terms kColumns{Values{1, 0, 1}, Values{1, 0, 1}};
const Terms kEqualRows{Values{1, 0, 0}, Values{1, 0, 0}};
const Terms kOtherRows{Values{1, 0, 0}, Values{1, 1, 0}};

TEST(OpeningPrivacy, WithoutTheMaskABatchTellsWhetherTwoRowsAreEqual) {
  for (const Terms& rows : {kEqualRows, kOtherRows}) {
    for (const Values& row : rows) {
      for (const Values& column : kColumns) ASSERT_EQ(sum_of(row, column), 1u);
    }
  }
  const TwoUploads sums_everywhere{Values{1, 1, 1}, Values{1, 1, 1}};
  EXPECT_NE(masks_that_show(sums_everywhere, kEqualRows, kColumns),
            masks_that_show(sums_everywhere, kOtherRows, kColumns));
}

TEST(OpeningPrivacy, WithTheMaskEveryUploadIsTheSumPlusAUniformOneOfTheSameFew) {
  // Given the zero masks, uniform over 25 vectors that form a group,
  const Support masks = support(masks_by_seeds());
  ASSERT_EQ(masks.size(), kPairs);
  Counts uniform(kUploads, 0);
  for (const auto& [mask, count] : masks) {
    EXPECT_EQ(count, kUploads / masks.size());
    uniform[mask] = 1;
  }
  for (const auto& [mask, count] : masks) {
    for (const auto& [other, same_count] : masks) EXPECT_EQ(uniform[add(mask, other)], 1u);
  }
  // Then every unmasked upload, minus its sum, is one of them, whatever the rows and their masks:
  // an independent mask per entry makes the view of a whole batch the same for all secrets.
  const std::size_t minus_sums = negative(to_index(Values{1, 1, 1}, kPrime));
  for (const Terms& rows : {kEqualRows, kOtherRows}) {
    for (const Values& row : rows) {
      for (std::size_t mask = 0; mask < kMasks * kMasks; ++mask) {
        const auto x = share(Polynomial::kData, row, mask / kMasks);
        const auto w = share(Polynomial::kModel, kColumns[0], mask % kMasks);
        ASSERT_EQ(uniform[add(to_index(upload(x, w), kPrime), minus_sums)], 1u);
      }
    }
  }
}

}  // namespace
}  // namespace fedvs::coding
