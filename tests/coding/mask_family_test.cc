#include "fedvs/coding/mask_family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fedvs::coding {
namespace {

using ::testing::HasSubstr;

field::Ring ring(const char* name) { return field::Ring::create(name).value(); }

MaskFamily without(MaskFamily family, std::size_t set) {
  family.sets.erase(family.sets.begin() + static_cast<std::ptrdiff_t>(set));
  return family;
}

// In how many sets a T-subset is.
std::size_t coverage(const MaskFamily& family, const Subset& subset) {
  return static_cast<std::size_t>(
      std::ranges::count_if(family.sets, [&](const auto& set) { return includes(set, subset); }));
}

TEST(MaskFamily, IsFoundAndSafeForEveryShapeOfUpToTwelveClients) {
  for (const char* name : {"m31", "rns4"}) {
    for (int n = 1; n <= 12; ++n) {
      for (int k = 1; k <= n; ++k) {
        for (int t = 1; 2 * (k + t - 1) + 1 <= n; ++t) {
          const Shape shape{n, k, t};
          const auto family = find_family(ring(name), shape);
          ASSERT_TRUE(family) << n << " " << k << " " << t;
          EXPECT_TRUE(check_spans(ring(name), shape, *family)) << n << " " << k << " " << t;
          EXPECT_LE(family->most_elements(), all_subsets(shape).most_elements());
        }
      }
    }
  }
}

TEST(MaskFamily, ForOneColluderTakesNMinusKElementsPerEntryFromEveryClient) {
  for (const auto& [n, k] : {std::pair{3, 1}, {28, 6}, {29, 14}, {128, 32}}) {
    const auto family = find_family(ring("rns4"), {n, k, 1}).value();
    EXPECT_EQ(family.sets.size(), static_cast<std::size_t>(n));
    for (int party = 0; party < n; ++party) {
      EXPECT_EQ(family.elements(party), static_cast<std::size_t>(n - k));
    }
  }
}

TEST(MaskFamily, TakesFewElementsForSeveralColluders) {
  struct Row {
    Shape shape;
    std::size_t most;
  };
  for (const Row& row : {Row{{28, 4, 2}, 140}, Row{{28, 1, 2}, 250}, Row{{28, 4, 4}, 650},
                         Row{{10, 1, 3}, 25}, Row{{128, 1, 2}, 5400}}) {
    EXPECT_LE(find_family(ring("rns4"), row.shape).value().most_elements(), row.most);
  }
}

TEST(MaskFamily, OfOneColluderCannotSpareAnySet) {
  for (const Shape& shape : {Shape{3, 1, 1}, Shape{7, 3, 1}, Shape{11, 5, 1}, Shape{28, 6, 1}}) {
    const auto family = find_family(ring("rns4"), shape).value();
    for (std::size_t set = 0; set < family.sets.size(); ++set) {
      EXPECT_FALSE(check_spans(ring("rns4"), shape, without(family, set)));
    }
  }
}

TEST(MaskFamily, CannotSpareASetThatASubsetOfTClientsHasNoMoreThanItNeeds) {
  // Given families in which some T-subsets S lie in exactly K+T-1 sets,
  for (const Shape& shape : {Shape{11, 1, 2}, Shape{9, 2, 2}, Shape{9, 3, 2}, Shape{8, 1, 3}}) {
    const auto family = find_family(ring("rns4"), shape).value();
    const auto needed = static_cast<std::size_t>(shape.blocks + shape.colluding - 1);
    std::size_t tight = 0;
    for (std::size_t set = 0; set < family.sets.size(); ++set) {
      // when a set goes that contains such an S,
      bool has_tight = false;
      Subset subset = first_subset(shape.colluding);
      do {
        has_tight |= includes(family.sets[set], subset) && coverage(family, subset) == needed;
      } while (next_subset(subset, shape.parties));
      if (!has_tight) continue;
      // then the check finds out.
      ++tight;
      EXPECT_FALSE(check_spans(ring("rns4"), shape, without(family, set)));
    }
    EXPECT_GT(tight, 0u);
  }
}

TEST(MaskFamily, IsUnsafeWhereSetsAreManyButAllHaveOneClientMoreInCommon) {
  // Given N = 10, K = 1, T = 3: S = {1, 2, 3} needs 3 sets of 5, and has 6, all with client 4.
  const Shape shape{10, 1, 3};
  auto family = find_family(ring("m31"), shape).value();
  std::erase_if(family.sets, [](const auto& set) { return includes(set, Subset{0, 1, 2}); });
  for (int other = 4; other < 10; ++other) family.sets.push_back({0, 1, 2, 3, other});
  const auto status = check_spans(ring("m31"), shape, family);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kBadShape);
  EXPECT_THAT(status.error().message, HasSubstr("clients 1, 2, 3 "));
}

TEST(MaskFamily, OfAllSubsetsOfTClientsIsAlwaysSafe) {
  for (const Shape& shape : {Shape{3, 1, 1}, Shape{9, 3, 2}, Shape{10, 1, 3}, Shape{9, 1, 4}}) {
    for (const char* name : {"m31", "rns8"}) {
      EXPECT_TRUE(check_spans(ring(name), shape, all_subsets(shape)));
    }
  }
}

TEST(MaskFamily, HasSeedsMadeByTheFirstClientOutside) {
  const auto family = find_family(ring("rns4"), {7, 3, 1}).value();
  for (std::size_t set = 0; set < family.sets.size(); ++set) {
    const int maker = family.maker(set);
    EXPECT_FALSE(family.contains(set, maker));
    for (int party = 0; party < maker; ++party) EXPECT_TRUE(family.contains(set, party));
  }
}

TEST(MaskFamily, IsTheSameOnEveryPlatform) {
  const auto digest = [](const Shape& shape) {
    return to_hex(digest_of(find_family(ring("rns4"), shape).value())).substr(0, 16);
  };
  EXPECT_EQ(digest({28, 6, 1}), "6090345e632739ed");
  EXPECT_EQ(digest({28, 4, 2}), "23fb0c06d1dce4cc");
  EXPECT_EQ(digest({10, 1, 3}), "c6ff99d0203dc4b0");
  EXPECT_EQ(digest({28, 4, 4}), "ccba90f11a2addf4");
}

TEST(MaskFamily, ThatWouldBeTooDearIsRefusedWithTheTThatWouldDo) {
  const auto refused = find_family(ring("rns4"), {100, 10, 6});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadShape);
  EXPECT_THAT(refused.error().message, HasSubstr("1192052400 sets of T clients to check"));
  EXPECT_THAT(refused.error().message, HasSubstr("lower T to 3"));
}

TEST(MaskFamily, OfAShapeThatCannotBeIsRefused) {
  EXPECT_FALSE(find_family(ring("rns4"), {4, 2, 1}));
}

}  // namespace
}  // namespace fedvs::coding
