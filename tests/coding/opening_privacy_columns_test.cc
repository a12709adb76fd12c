// Masked opening by enumeration: two entries that share a row, three parties. Client n has one
// datum X_n under one mask, and weights V_n, W_n of two columns under a mask each: what ties the
// two entries together is what an unmasked opening tells beyond the sums. All masks are counted.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/coding/three_parties.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using namespace fedvs::testing;  // NOLINT: the small world of three_parties.h

constexpr std::size_t kViews = kUploads * kUploads;  // three uploads of two entries
constexpr std::size_t kSecrets = 125;                // (X, V, W)

std::size_t add_views(std::size_t a, std::size_t b) {
  return add(a / kUploads, b / kUploads) * kUploads + add(a % kUploads, b % kUploads);
}

// What a client adds to the uploads, for every value of its three masks.
std::vector<std::size_t> contributions(std::size_t secret) {
  const Values xvw = from_index(secret, 3, kPrime);
  std::vector<std::size_t> all;
  for (std::size_t mask = 0; mask < kSecrets; ++mask) {
    const Values m = from_index(mask, 3, kPrime);
    const Values x = shares(code().data_matrix(), Values{xvw[0], m[0]});
    const Values v = shares(code().model_matrix(), Values{xvw[1], m[1]});
    const Values w = shares(code().model_matrix(), Values{xvw[2], m[2]});
    all.push_back(to_index(times(x, v, kPrime), kPrime) * kUploads +
                  to_index(times(x, w, kPrime), kPrime));
  }
  return all;
}

Counts unmasked_view(const std::array<std::size_t, 3>& secrets) {
  Counts view(kViews, 0);
  const auto second = contributions(secrets[1]), third = contributions(secrets[2]);
  for (std::size_t a : contributions(secrets[0])) {
    for (std::size_t b : second) {
      const std::size_t two = add_views(a, b);
      for (std::size_t c : third) ++view[add_views(two, c)];
    }
  }
  return view;
}

// Every entry has zero masks of its own.
Counts masked_view(const Counts& unmasked) {
  static const Support masks = support(two_dealers());
  Counts view(kViews, 0);
  for (const auto& [seen, count] : support(unmasked)) {
    for (const auto& [first, times_first] : masks) {
      for (const auto& [second, times_second] : masks) {
        view[add_views(seen, first * kUploads + second)] += count * times_first * times_second;
      }
    }
  }
  return view;
}

Values sums(const std::array<std::size_t, 3>& secrets) {
  Values total{0, 0};
  for (std::size_t secret : secrets) {
    const Values xvw = from_index(secret, 3, kPrime);
    total = plus(total, times({xvw[0], xvw[0]}, {xvw[1], xvw[2]}, kPrime), kPrime);
  }
  return total;
}

using Secrets = std::array<std::size_t, 3>;

// Any secrets with these sums: half of them free, half with W = factor * V.
std::vector<Secrets> secrets_with(const Values& wanted, field::Residue factor, std::size_t count) {
  Prng random = seeded(1);
  std::vector<Secrets> found;
  while (found.size() < count) {
    Secrets secrets;
    for (std::size_t& secret : secrets) {
      Values xvw = from_index(random.next_u64() % kSecrets, 3, kPrime);
      if (found.size() % 2 == 0) xvw[2] = field::multiply(factor, xvw[1], kPrime);
      secret = to_index(xvw, kPrime);
    }
    if (sums(secrets) == wanted) found.push_back(secrets);
  }
  return found;
}

TEST(OpeningPrivacy, OfTwoColumnsTheServersViewDependsOnTheSumsAloneButOnlyWithTheMask) {
  for (const auto& [wanted, factor] :
       {std::pair{Values{0, 0}, 1u}, std::pair{Values{1, 2}, 2u}, std::pair{Values{3, 0}, 0u}}) {
    std::set<Counts> unmasked, masked;
    for (const Secrets& secrets : secrets_with(wanted, factor, 12)) {
      const Counts view = unmasked_view(secrets);
      masked.insert(masked_view(view));
      unmasked.insert(view);
    }
    EXPECT_EQ(masked.size(), 1u);
    EXPECT_GT(unmasked.size(), 1u);
  }
}

}  // namespace
}  // namespace fedvs::coding
