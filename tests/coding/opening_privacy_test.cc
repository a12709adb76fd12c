// Masked opening by enumeration, N = 3, K = T = 1, p = 5: R = 3, so the server may hold all
// uploads. Client n has one datum X_n under the mask Z_n and one weight W_n under the mask r_n; the
// uploads' mask is made from the terms of three sets of clients, by seeds. Every value of every
// mask is counted; where independent things are added, their counts are convolved, which is the
// same count, exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "tests/coding/three_parties.h"

namespace fedvs::coding {
namespace {

using namespace fedvs::testing;  // NOLINT: the small world of three_parties.h

// What a client with secret (X, W) adds to the three uploads, for one value of its masks (Z, r),
// and the shares that it sends.
struct Contribution {
  Values data, model;
  std::size_t uploads;
};

Contribution contribution(std::size_t secret, std::size_t mask) {
  const Values xw = from_index(secret, 2, kPrime), zr = from_index(mask, 2, kPrime);
  const Values f = shares(code(), Polynomial::kData, Values{xw[0], zr[0]});
  const Values g = shares(code(), Polynomial::kModel, Values{xw[1], zr[1]});
  return {f, g, to_index(times(f, g, kPrime), kPrime)};
}

std::size_t product(std::size_t secret) { return (secret / kPrime) * (secret % kPrime) % kPrime; }

const Counts& client_counts(std::size_t secret) {
  static const std::vector<Counts> all = [] {
    std::vector<Counts> made(kPairs, Counts(kUploads, 0));
    for (std::size_t s = 0; s < kPairs; ++s) {
      for (std::size_t mask = 0; mask < kPairs; ++mask) ++made[s][contribution(s, mask).uploads];
    }
    return made;
  }();
  return all[secret];
}

// Unmasked views of all secrets, each kind once, by the sum of X_n W_n. Clients share alike, so the
// order of the three does not matter.
const std::array<std::set<Counts>, kPrime>& unmasked_views_by_sum() {
  static const auto all = [] {
    std::array<std::set<Counts>, kPrime> views;
    for (std::size_t a = 0; a < kPairs; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const Counts pair = convolve(client_counts(a), client_counts(b));
        for (std::size_t c = 0; c <= b; ++c) {
          const std::size_t sum = (product(a) + product(b) + product(c)) % kPrime;
          views[sum].insert(convolve(pair, client_counts(c)));
        }
      }
    }
    return views;
  }();
  return all;
}

TEST(OpeningPrivacy, TheServersViewDependsOnTheSumAlone) {
  const Counts masks = masks_by_seeds();
  std::set<Counts> different;
  for (const auto& secrets : unmasked_views_by_sum()) {
    std::set<Counts> views;
    for (const Counts& unmasked : secrets) views.insert(convolve(unmasked, masks));
    EXPECT_EQ(views.size(), 1u);
    different.insert(views.begin(), views.end());
  }
  EXPECT_EQ(different.size(), kPrime);  // and the sum can be read from it
}

TEST(OpeningPrivacy, WithoutTheMaskItDoesNot) {
  // One entry alone tells whether all secrets are zero; opening_privacy_batch_test.cc shows that a
  // batch tells more.
  EXPECT_GT(unmasked_views_by_sum()[0].size(), 1u);
}

// Uploads of the same rows and versions under two independent masks: a revision, and the one before
// it that was abandoned.
Counts two_revisions(const Counts& unmasked, const Support& masks) {
  Counts view(kUploads * kUploads, 0);
  for (std::size_t v = 0; v < kUploads; ++v) {
    if (unmasked[v] == 0) continue;
    for (const auto& [first, times_first] : masks) {
      const std::size_t row = add(v, first) * kUploads;
      for (const auto& [second, times_second] : masks) {
        view[row + add(v, second)] += unmasked[v] * times_first * times_second;
      }
    }
  }
  return view;
}

TEST(OpeningPrivacy, AnAbandonedRevisionAddsNothingToTheServersView) {
  const Support masks = support(masks_by_seeds());
  for (const auto& secrets : unmasked_views_by_sum()) {
    const Counts expected = two_revisions(*secrets.begin(), masks);
    for (const Counts& unmasked : secrets) {
      ASSERT_TRUE(two_revisions(unmasked, masks) == expected);
    }
  }
}

// --- The server together with one client. It knows its own inputs and masks, which only shift the
// uploads by what it knows: they are left out. What counts is what it holds of the two others.

// By what the colluder holds of one other client (a data and a model share, each pair once): that
// client's part of the uploads.
std::vector<std::size_t> uploads_by_held_shares(std::size_t secret, std::size_t colluder) {
  std::vector<std::size_t> uploads(kPairs, kUploads);
  for (std::size_t mask = 0; mask < kPairs; ++mask) {
    const Contribution made = contribution(secret, mask);
    const std::size_t held = made.data[colluder] * kPrime + made.model[colluder];
    EXPECT_EQ(uploads[held], kUploads) << "shares would not be uniform";
    uploads[held] = made.uploads;
  }
  return uploads;
}

// Counts of the mask, apart for each thing the colluder may know of it: the terms of the two sets
// that it is outside of.
std::vector<Support> masks_by_knowledge(int colluder) {
  std::map<Values, Counts> known;
  for (std::size_t terms = 0; terms < kUploads; ++terms) {
    Values knowledge = from_index(terms, 3, kPrime);
    for (std::size_t set = 0; set < knowledge.size(); ++set) {
      if (seeded_masks().family().contains(set, colluder)) knowledge[set] = kPrime;  // not known
    }
    Counts& counts = known.try_emplace(knowledge, kUploads, 0).first->second;
    ++counts[mask_by_seeds(terms)];
  }
  std::vector<Support> all;
  for (const auto& [knowledge, counts] : known) all.push_back(support(counts));
  return all;
}

Support shifted(const Support& counts, std::size_t by) {
  Support moved;
  for (const auto& [uploads, count] : counts) moved.emplace_back(add(uploads, by), count);
  std::sort(moved.begin(), moved.end());
  return moved;
}

Support shifted_pairs(const Support& first, const Support& second, std::size_t by) {
  Support joint;
  for (const auto& [a, times_a] : first) {
    for (const auto& [b, times_b] : second) {
      joint.emplace_back(add(a, by) * kUploads + add(b, by), times_a * times_b);
    }
  }
  std::sort(joint.begin(), joint.end());
  return joint;
}

// Whether uploads that differ by `shift` look alike, whatever is known of the masks.
bool hidden_in_one_opening(const std::vector<Support>& masks, std::size_t shift) {
  return std::all_of(masks.begin(), masks.end(), [&](const Support& counts) {
    return shifted(counts, shift) == shifted(counts, 0);
  });
}

bool hidden_in_two_revisions(const std::vector<Support>& masks, std::size_t shift) {
  for (const Support& first : masks) {
    for (const Support& second : masks) {
      if (shifted_pairs(first, second, shift) != shifted_pairs(first, second, 0)) return false;
    }
  }
  return true;
}

// By which the uploads of two secrets with one sum can differ, for the same held shares. Every
// secret of the two others is compared with the first one that has its sum.
std::set<std::size_t> differences_at_equal_sums(std::size_t colluder) {
  std::vector<std::vector<std::size_t>> one_client;
  for (std::size_t secret = 0; secret < kPairs; ++secret) {
    one_client.push_back(uploads_by_held_shares(secret, colluder));
  }
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> first_with_sum;
  std::set<std::size_t> differences;
  for (std::size_t a = 0; a < kPairs; ++a) {
    for (std::size_t b = 0; b < kPairs; ++b) {
      const std::size_t sum = (product(a) + product(b)) % kPrime;
      const auto [c, d] = first_with_sum.try_emplace(sum, a, b).first->second;
      for (std::size_t held = 0; held < kPairs * kPairs; ++held) {
        const std::size_t of_a = held / kPairs, of_b = held % kPairs;
        const std::size_t here = add(one_client[a][of_a], one_client[b][of_b]);
        const std::size_t there = add(one_client[c][of_a], one_client[d][of_b]);
        differences.insert(add(here, negative(there)));
      }
    }
  }
  return differences;
}

TEST(OpeningPrivacy, TheServerWithAnyClientLearnsTheSumAlone) {
  for (int colluder = 0; colluder < kParties; ++colluder) {
    const auto differences = differences_at_equal_sums(static_cast<std::size_t>(colluder));
    const auto masks = masks_by_knowledge(colluder);
    EXPECT_EQ(masks.size(), kPairs);
    for (std::size_t shift : differences) EXPECT_TRUE(hidden_in_one_opening(masks, shift));
    EXPECT_GT(differences.size(), 1u);  // unmasked, these are seen as they are
  }
}

TEST(OpeningPrivacy, TheServerWithAnyClientLearnsNoMoreFromAnAbandonedRevision) {
  for (int colluder = 0; colluder < kParties; ++colluder) {
    const auto masks = masks_by_knowledge(colluder);
    for (std::size_t shift : differences_at_equal_sums(static_cast<std::size_t>(colluder))) {
      EXPECT_TRUE(hidden_in_two_revisions(masks, shift));
    }
  }
}

}  // namespace
}  // namespace fedvs::coding
