// Which shares of others' models a client holds.
#include "fedvs/protocol/client/share_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "fedvs/base/public_random.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/rings.h"

namespace fedvs::protocol {
namespace {

using testing::incarnation;

constexpr int kSenders = 3;

Version version(StepNumber step, std::uint8_t life = 1) { return {step, incarnation(life)}; }
HeldVersion held(StepNumber step, std::uint8_t life = 1) {
  return {.step = step, .short_id = incarnation(life).short_id()};
}
// One that can be told from others by what it points to.
SharePtr some_share() { return share_of(field::RingMatrix(testing::ring("rns4"), 1, 1)); }

TEST(ShareShelf, IsEmptyAtFirst) {
  const ShareShelf shelf(kSenders);
  EXPECT_EQ(shelf.newest().size(), 3u);
  for (int sender = 0; sender < kSenders; ++sender) {
    EXPECT_EQ(shelf.count(sender), 0u);
    EXPECT_FALSE(shelf.newest(sender));
    EXPECT_FALSE(shelf.holds(sender, version(0)));
    EXPECT_EQ(shelf.find(sender, version(0)), nullptr);
  }
}

TEST(ShareShelf, FindsWhatWasAddedOfThatSenderAndVersionOnly) {
  ShareShelf shelf(kSenders);
  const auto share = some_share();
  EXPECT_TRUE(shelf.add(1, version(4), share));
  EXPECT_TRUE(shelf.holds(1, version(4)));
  EXPECT_EQ(shelf.find(1, version(4)), share);
  EXPECT_FALSE(shelf.holds(0, version(4)));
  EXPECT_FALSE(shelf.holds(1, version(3)));
  EXPECT_FALSE(shelf.holds(1, version(4, 2)));
  EXPECT_EQ(shelf.find(1, version(4, 2)), nullptr);
}

TEST(ShareShelf, DoesNotBelieveASecondShareOfAVersion) {
  ShareShelf shelf(kSenders);
  const auto first = some_share();
  ASSERT_TRUE(shelf.add(1, version(4), first));
  EXPECT_FALSE(shelf.add(1, version(4), some_share()));
  EXPECT_EQ(shelf.find(1, version(4)), first);
  EXPECT_EQ(shelf.count(1), 1u);
}

TEST(ShareShelf, KeepsAStepOfTwoLivesApart) {
  ShareShelf shelf(kSenders);
  const auto before = some_share(), after = some_share();
  EXPECT_TRUE(shelf.add(1, version(4, 1), before));
  EXPECT_TRUE(shelf.add(1, version(4, 2), after));
  EXPECT_EQ(shelf.find(1, version(4, 1)), before);
  EXPECT_EQ(shelf.find(1, version(4, 2)), after);
  EXPECT_EQ(shelf.count(1), 2u);
  EXPECT_EQ(shelf.newest(1), held(4, 2));
}

TEST(ShareShelf, KnowsTheNewestWhateverTheOrderTheyComeIn) {
  ShareShelf shelf(kSenders);
  for (const StepNumber step : {5, 9, 2, 7}) {
    ASSERT_TRUE(shelf.add(0, version(step), some_share()));
  }
  EXPECT_EQ(shelf.newest(0), held(9));
  EXPECT_THAT(shelf.newest(),
              ::testing::ElementsAre(::testing::Optional(held(9)), std::nullopt, std::nullopt));
}

TEST(ShareShelf, VisitsEverySendersVersionsNewestFirst) {
  ShareShelf shelf(kSenders);
  for (const StepNumber step : {5, 9, 2}) {
    shelf.add(0, version(step), some_share());
    shelf.add(2, version(step + 1), some_share());
  }
  std::map<int, std::vector<StepNumber>> visited;
  shelf.for_each([&](int sender, const Version& found, const SharePtr& values) {
    visited[sender].push_back(found.step);
    EXPECT_EQ(values, shelf.find(sender, found));
  });
  using Steps = std::vector<StepNumber>;
  EXPECT_EQ(visited, (std::map<int, Steps>{{0, {9, 5, 2}}, {2, {10, 6, 3}}}));
}

TEST(ShareShelf, ForgetsWhatIsOlderThanNamedAndFreesIt) {
  ShareShelf shelf(kSenders);
  const auto old = some_share();
  shelf.add(0, version(3), old);
  for (int sender = 0; sender < kSenders; ++sender) {
    for (const StepNumber step : {4, 5, 6}) shelf.add(sender, version(step), some_share());
  }
  shelf.add(0, version(5, 2), some_share());
  // When a plan names step 5 of the first, none of the second (it is left out), 7 of the third.
  shelf.forget_before({version(5), std::nullopt, version(7)});
  // Then the named one stays, of whatever life, and all after it.
  EXPECT_FALSE(shelf.holds(0, version(3)));
  EXPECT_FALSE(shelf.holds(0, version(4)));
  EXPECT_TRUE(shelf.holds(0, version(5)));
  EXPECT_TRUE(shelf.holds(0, version(5, 2)));
  EXPECT_TRUE(shelf.holds(0, version(6)));
  EXPECT_EQ(shelf.count(1), 3u);
  EXPECT_EQ(shelf.count(2), 0u);
  EXPECT_FALSE(shelf.newest(2));
  EXPECT_EQ(old.use_count(), 1);
}

TEST(ShareShelf, TakesAVersionAgainThatItHasForgotten) {
  ShareShelf shelf(kSenders);
  shelf.add(0, version(3), some_share());
  shelf.forget_before({version(4), std::nullopt, std::nullopt});
  const auto again = some_share();
  EXPECT_TRUE(shelf.add(0, version(3), again));
  EXPECT_EQ(shelf.find(0, version(3)), again);
}

TEST(ShareShelf, StepZeroIsOlderThanNothing) {
  ShareShelf shelf(kSenders);
  shelf.add(0, version(0), some_share());
  shelf.forget_before({version(0), std::nullopt, std::nullopt});
  EXPECT_TRUE(shelf.holds(0, version(0)));
}

// Against a map, over many additions and forgettings of all senders: places are used again.
TEST(ShareShelf, AgreesWithAMapOverALongRun) {
  ShareShelf shelf(kSenders);
  std::map<Version, SharePtr> expected[kSenders];
  PublicRandom random(5);
  for (StepNumber step = 1; step < 400; ++step) {
    for (std::size_t sender = 0; sender < kSenders; ++sender) {
      const Version shared = version(step - random.below(std::min<StepNumber>(step, 4)),
                                     static_cast<std::uint8_t>(1 + step / 100));
      const auto values = some_share();
      EXPECT_EQ(shelf.add(static_cast<int>(sender), shared, values),
                expected[sender].try_emplace(shared, values).second);
    }
    std::vector<std::optional<Version>> named(kSenders);
    const std::size_t one = random.below(kSenders);
    named[one] = version(step > 8 ? step - 8 : 0);
    shelf.forget_before(named);
    std::erase_if(expected[one], [&](const auto& v) { return v.first.step < named[one]->step; });
    for (std::size_t sender = 0; sender < kSenders; ++sender) {
      ASSERT_EQ(shelf.count(static_cast<int>(sender)), expected[sender].size());
      for (const auto& [of, values] : expected[sender]) {
        ASSERT_EQ(shelf.find(static_cast<int>(sender), of), values);
      }
    }
  }
}

}  // namespace
}  // namespace fedvs::protocol
