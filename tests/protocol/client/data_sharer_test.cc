// Shares of a client's rows: what any K+T of them give, what any T do not, and when they are the
// same bytes.
#include "fedvs/protocol/client/data_sharer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fedvs/protocol/client/local_model.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/flint.h"
#include "tests/support/float_tables.h"
#include "tests/support/rings.h"

namespace fedvs::protocol {
namespace {

using data::Part;
using field::RingMatrix;
using model::FixedRows;
using testing::normal_table;
using testing::seeded;

// Seven clients, K = 2, T = 2; 41 training rows of five numbers each: 21 coded rows, the last one
// of a sample and of padding.
class DataSharerTest : public ::testing::Test {
 protected:
  DataSharer sharer(std::uint64_t key) const { return {agreement_, code_, seeded(key)}; }
  RingMatrix share(std::uint64_t key, Part part, std::size_t first, std::size_t count,
                   int recipient) const {
    return sharer(key).share(rows_, part, first, count, recipient);
  }

  Agreement agreement_ = testing::small_agreement({"code.T=2"}, 41);
  coding::LagrangeCode code_ =
      coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value();
  FixedRows rows_{normal_table(41, 2, 7), /*degree=*/2, /*l_x=*/9};
};

// What FLINT's polynomial through the shares of `clients` is at beta_k, as integers.
std::vector<std::int64_t> opened(const coding::LagrangeCode& code,
                                 const std::vector<RingMatrix>& shares,
                                 const std::vector<int>& clients, int k) {
  RingMatrix values(code.ring(), 1, shares[0].cols());
  for (int plane = 0; plane < code.ring().planes(); ++plane) {
    std::vector<mp_limb_t> points;
    for (int client : clients) points.push_back(code.alpha(client));
    for (std::size_t i = 0; i < values.cols(); ++i) {
      std::vector<mp_limb_t> at;
      for (int client : clients) {
        at.push_back(shares[static_cast<std::size_t>(client)].get(plane, 0, i));
      }
      testing::FlintPolynomial f(code.ring().prime(plane));
      nmod_poly_interpolate_nmod_vec(f.get(), points.data(), at.data(),
                                     static_cast<slong>(points.size()));
      values.set(plane, 0, i, f(code.beta(k)));
    }
  }
  return values.to_integers();
}

TEST_F(DataSharerTest, AnyKPlusTSharesGiveTheRowsOfEverySegmentAndZerosForPadding) {
  // Given the last five of 21 coded rows: samples 16 to 20, and 37 to 40 with one row of padding.
  DataSharer sharing = sharer(1);
  std::vector<RingMatrix> shares;
  for (int m = 0; m < 7; ++m) shares.push_back(sharing.share(rows_, Part::kTrain, 16, 5, m));
  std::vector<std::int32_t> first(25), second(25, 0);
  rows_.integers(16, 21, first);
  rows_.integers(37, 41, std::span(second).first(20));
  // When whatever four clients put theirs together, then both segments come out.
  for (const auto& clients : testing::subsets(7, 4)) {
    EXPECT_THAT(opened(code_, shares, clients, 0), ::testing::ElementsAreArray(first));
    EXPECT_THAT(opened(code_, shares, clients, 1), ::testing::ElementsAreArray(second));
  }
  // And three are not enough.
  EXPECT_THAT(opened(code_, shares, {0, 1, 2}, 0),
              ::testing::Not(::testing::ElementsAreArray(first)));
}

TEST_F(DataSharerTest, AChunkIsTheSameBytesHoweverOftenAndInWhateverOrderItIsAskedFor) {
  DataSharer sharing = sharer(1);
  std::vector<RingMatrix> once;
  for (int m = 0; m < 7; ++m) once.push_back(sharing.share(rows_, Part::kTrain, 0, 3, m));
  // All have had theirs, so that it is made again; and again after many other chunks.
  for (int m = 6; m >= 0; --m) {
    EXPECT_EQ(sharing.share(rows_, Part::kTrain, 0, 3, m), once[static_cast<std::size_t>(m)]);
  }
  EXPECT_EQ(sharing.share(rows_, Part::kTrain, 0, 3, 2), once[2]);
  for (std::size_t first = 1; first < 100; ++first) {
    sharing.share(rows_, Part::kTest, first, 1, 0);
  }
  EXPECT_EQ(sharing.share(rows_, Part::kTrain, 0, 3, 2), once[2]);
  // As does one that has been started again, with the same key.
  EXPECT_EQ(share(1, Part::kTrain, 0, 3, 2), once[2]);
}

TEST_F(DataSharerTest, AnotherKeyGivesOtherBytes) {
  for (int m = 0; m < 7; ++m) {
    EXPECT_FALSE(share(1, Part::kTrain, 0, 3, m) == share(2, Part::kTrain, 0, 3, m));
  }
}

TEST_F(DataSharerTest, NoTwoMasksAreTheSame) {
  const DataSharer one = sharer(1), other = sharer(2);
  std::set<std::vector<std::uint8_t>> seen;
  std::size_t drawn = 0;
  for (const DataSharer* of : {&one, &other}) {
    for (const Part part : {Part::kTrain, Part::kValidation, Part::kTest}) {
      for (const std::size_t first : {std::size_t{0}, std::size_t{1}, kChunkRows}) {
        const auto masks = of->masks(part, first, 64);
        ASSERT_EQ(masks.size(), 2u);
        for (const RingMatrix& mask : masks) {
          seen.emplace(mask.bytes().begin(), mask.bytes().end());
          ++drawn;
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), drawn);
}

// Chi square of counts that should all be the same.
double chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// Over a tiny prime, where every pair of values can be counted: N = 5, K = 1, T = 2.
TEST(DataSharer, AnyTSharesAreUniformWhateverTheRows) {
  constexpr std::uint32_t kPrime = 11;
  constexpr int kPairs = kPrime * kPrime, kEach = 100, kDraws = kPairs * kEach;
  Agreement agreement = testing::small_agreement();
  agreement.ring = field::Ring::of_primes("tiny", {kPrime});
  agreement.shape = {.parties = 5, .blocks = 1, .colluding = 2};
  const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
  for (const float value : {0.0f, 4.0f}) {
    // Given one row (value, 1), shared with as many keys as there are draws.
    const FixedRows rows(data::Table{1, 1, {value}}, /*degree=*/1, /*l_x=*/0);
    std::vector<std::vector<field::Residue>> shares(5);
    for (int draw = 0; draw < kDraws; ++draw) {
      DataSharer sharer(agreement, code, seeded(static_cast<std::uint64_t>(draw)));
      for (int m = 0; m < 5; ++m) {
        shares[static_cast<std::size_t>(m)].push_back(
            sharer.share(rows, Part::kTrain, 0, 1, m).get(0, 0, 0));
      }
    }
    // Then two clients see every pair of values equally often: 120 degrees of freedom, and a chi
    // square above 200 in one of a hundred thousand experiments.
    for (const auto& two : testing::subsets(5, 2)) {
      const auto& a = shares[static_cast<std::size_t>(two[0])];
      const auto& b = shares[static_cast<std::size_t>(two[1])];
      std::vector<int> counts(kPairs, 0);
      for (std::size_t i = 0; i < a.size(); ++i) ++counts[a[i] * kPrime + b[i]];
      EXPECT_LT(chi_square(counts, kEach), 200) << two[0] << " and " << two[1] << ", " << value;
    }
  }
}

// All that a digest of shared integers is of, to be changed one by one: the integers stay as they
// are when the agreement changes.
struct Shared {
  Agreement agreement = testing::small_agreement();
  int client = 3;
  data::Table tables[data::kParts] = {normal_table(40, 2, 1), normal_table(6, 2, 2),
                                      normal_table(8, 2, 3)};
  Digest digest() const {
    const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
    const auto rows = LocalModel::own_rows(testing::small_agreement(), 3, tables);
    return shared_digest(agreement, code, client, rows);
  }
};

TEST(SharedDigest, IsTheSameForTheSameRowsAndJob) {
  EXPECT_EQ(Shared().digest(), Shared().digest());
}

TEST(SharedDigest, ChangesWithEverythingThatDeterminesTheShares) {
  using Change = void (*)(Shared&);
  const std::pair<const char*, Change> changes[] = {
      {"nothing", [](Shared&) {}},
      {"ring", [](Shared& s) { s.agreement.ring = testing::ring("rns5"); }},
      {"N, and so points", [](Shared& s) { ++s.agreement.shape.parties; }},
      {"K", [](Shared& s) { s.agreement.shape.blocks = 1; }},
      {"T", [](Shared& s) { s.agreement.shape = {.parties = 7, .blocks = 2, .colluding = 2}; }},
      {"K and T, K + T the same",
       [](Shared& s) { s.agreement.shape = {.parties = 7, .blocks = 1, .colluding = 2}; }},
      {"l_x", [](Shared& s) { ++s.agreement.scales.l_x; }},
      {"own degree", [](Shared& s) { ++s.agreement.clients[3].degree; }},
      {"another's degree", [](Shared& s) { ++s.agreement.clients[5].degree; }},
      {"another's features", [](Shared& s) { ++s.agreement.clients[5].features; }},
      {"client", [](Shared& s) { s.client = 4; }},
      {"training rows", [](Shared& s) { ++s.agreement.rows[0]; }},
      {"test rows", [](Shared& s) { ++s.agreement.rows[2]; }},
      {"a value", [](Shared& s) { s.tables[0].values[17] += 1; }},
      {"the last value", [](Shared& s) { s.tables[2].values.back() += 1; }},
      {"order of rows",
       [](Shared& s) {
         std::swap_ranges(s.tables[0].row(4), s.tables[0].row(5), s.tables[0].row(9));
       }},
      {"parts changed about", [](Shared& s) { std::swap(s.tables[1], s.tables[2]); }},
  };
  std::map<Digest, const char*> seen;
  for (const auto& [what, change] : changes) {
    Shared shared;
    change(shared);
    const auto [same, is_new] = seen.emplace(shared.digest(), what);
    EXPECT_TRUE(is_new) << what << " and " << same->second << " have one digest";
  }
}

// A value that moves by less than the scale can tell is the same integer, and the same sharing.
TEST(SharedDigest, IsOfTheIntegersAndNotOfTheFloats) {
  Shared moved;
  for (float& value : moved.tables[0].values) value = std::round(value * 4) / 4;
  Shared other = moved;
  other.tables[0].values[0] += 1e-6f;
  EXPECT_EQ(moved.digest(), other.digest());
}

}  // namespace
}  // namespace fedvs::protocol
