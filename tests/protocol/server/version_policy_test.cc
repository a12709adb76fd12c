#include "fedvs/protocol/server/version_policy.h"

#include <gmock/gmock.h>

#include <limits>

#include "fedvs/protocol/server/pace.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(CutIntoGroups, SortsByLatenessAndCutsConsecutively) {
  EXPECT_THAT(cut_into_groups({5, 1, 3, 2, 4, 0, 6}, 3),
              ElementsAre(ElementsAre(5, 1, 3), ElementsAre(2, 4, 0, 6)));
  EXPECT_THAT(cut_into_groups({5, 1, 3, 2, 4, 0}, 3),
              ElementsAre(ElementsAre(5, 1, 3), ElementsAre(2, 4, 0)));
}

TEST(CutIntoGroups, TiesGoByNumber) {
  EXPECT_THAT(cut_into_groups(std::vector<double>(6, 0.5), 3),
              ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
}

TEST(CutIntoGroups, ThereIsOneGroupWhereTwoWouldBeTooSmall) {
  EXPECT_THAT(cut_into_groups({2, 1, 0, 4, 3}, 3), ElementsAre(ElementsAre(2, 1, 0, 4, 3)));
  EXPECT_THAT(cut_into_groups({1, 0}, 3), ElementsAre(ElementsAre(1, 0)));
}

TEST(CutIntoGroups, TheDeadAreTogetherInTheLastGroup) {
  const double dead = std::numeric_limits<double>::infinity();
  EXPECT_THAT(cut_into_groups({dead, 1, 2, dead, 0, 3}, 3),
              ElementsAre(ElementsAre(4, 1, 2), ElementsAre(5, 0, 3)));
}

// Seven clients in groups {0, 1, 2} and {3, 4, 5, 6}; R = 5, enough are six.
class VersionPolicyTest : public ::testing::Test {
 protected:
  explicit VersionPolicyTest(const std::string& late_models = "reuse")
      : agreement_(fedvs::testing::small_agreement({"protocol.late_models=" + late_models})),
        board_(agreement_),
        policy_(agreement_, board_) {
    const auto welcome = fedvs::testing::welcome(7);
    policy_.meet(welcome);
    for (int n = 0; n < 7; ++n) {
      lives_.push_back(welcome.clients[static_cast<std::size_t>(n)].short_id());
      board_.meet(n, welcome.clients[static_cast<std::size_t>(n)]);
    }
    hold(7, std::vector<StepNumber>(7, 0), 0);
    policy_.form_groups({0, 0, 0, 9, 9, 9, 9}, /*on_time=*/1);
  }
  // The first `holders` clients report that they hold these steps of all senders.
  void hold(int holders, const std::vector<StepNumber>& steps, double now) {
    Holdings holdings;
    for (std::size_t n = 0; n < steps.size(); ++n) {
      holdings.newest.push_back(HeldVersion{steps[n], lives_[n]});
    }
    holdings.data_complete = true;
    for (int n = 0; n < holders; ++n) board_.update(n, holdings, now);
    policy_.update(now);
  }
  std::vector<std::optional<StepNumber>> named(
      StepNumber round, VersionPolicy::Choice choice = VersionPolicy::Choice::kNormal) {
    std::vector<std::optional<StepNumber>> steps;
    for (const auto& version : policy_.name(round, choice)) {
      steps.push_back(version ? std::optional(version->step) : std::nullopt);
    }
    return steps;
  }
  using Steps = std::vector<std::optional<StepNumber>>;

  Agreement agreement_;
  std::vector<std::uint32_t> lives_;  // tags of the clients' incarnations
  HoldingsBoard board_;
  VersionPolicy policy_;
};

TEST_F(VersionPolicyTest, AsksAGroupForTheNextVersionWhenEnoughHoldTheLast) {
  EXPECT_THAT(policy_.ask_for_shares(1, 10), Each(true));
  EXPECT_THAT(policy_.ask_for_shares(2, 11), Each(false));  // still under way
  hold(6, {1, 1, 1, 0, 0, 0, 0}, 12);
  EXPECT_THAT(policy_.ask_for_shares(3, 13),
              ElementsAre(true, true, true, false, false, false, false));
}

TEST_F(VersionPolicyTest, WaitsForAPunctualGroupsFreshVersionAndUsesALateOnesOldOne) {
  policy_.ask_for_shares(1, 10);
  EXPECT_EQ(named(1), (Steps{1, 1, 1, 0, 0, 0, 0}));
}

TEST_F(VersionPolicyTest, ANewVersionIsNamedOnlyWhenEnoughHoldItOfAllMembers) {
  policy_.ask_for_shares(1, 10);
  hold(7, {1, 1, 1, 1, 1, 1, 0}, 11);  // one member's share is missing
  EXPECT_EQ(named(2), (Steps{1, 1, 1, 0, 0, 0, 0}));
  hold(5, {1, 1, 1, 1, 1, 1, 1}, 12);  // R clients hold it: no slack
  EXPECT_EQ(named(2), (Steps{1, 1, 1, 0, 0, 0, 0}));
  hold(6, {1, 1, 1, 1, 1, 1, 1}, 13);
  EXPECT_EQ(named(2), (Steps{1, 1, 1, 1, 1, 1, 1}));
}

TEST_F(VersionPolicyTest, AShareThatTooFewOthersWereSentIsScarceAndItsSenderOverdue) {
  // Given R = 5: clients 1 to 5 hold all, the other two all but client 5's, which counts itself.
  policy_.ask_for_shares(1, 10);
  hold(7, {1, 1, 1, 1, 0, 1, 1}, 11);
  hold(5, {1, 1, 1, 1, 1, 1, 1}, 12);
  Plan plan;
  plan.versions = policy_.name(12, VersionPolicy::Choice::kOnlyHeld);  // past max_age
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6}, five{0, 1, 2, 3, 4};
  EXPECT_FALSE(policy_.outlasts_any_sender(plan, all));
  EXPECT_THAT(policy_.scarce(plan, all), ElementsAre(4));
  EXPECT_THAT(policy_.overdue(30, 10, all), ElementsAre(4));
  // When only these five are there, without client 5 they would be too few in any case.
  EXPECT_TRUE(policy_.outlasts_any_sender(plan, five));
  EXPECT_THAT(policy_.scarce(plan, five), ElementsAre());
  EXPECT_THAT(policy_.overdue(30, 10, five), ElementsAre());
}

TEST_F(VersionPolicyTest, WhereOthersLackMoreThanOneShareTheyAreSlowAndNobodyIsOverdue) {
  policy_.ask_for_shares(1, 10);
  hold(7, {1, 1, 1, 1, 0, 0, 1}, 11);
  hold(5, {1, 1, 1, 1, 1, 1, 1}, 12);
  Plan plan;
  plan.versions = policy_.name(12, VersionPolicy::Choice::kOnlyHeld);
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6};
  EXPECT_FALSE(policy_.outlasts_any_sender(plan, all));
  EXPECT_THAT(policy_.scarce(plan, all), ElementsAre());
  EXPECT_THAT(policy_.overdue(30, 10, all), ElementsAre());
}

// It comes back every 8 s, and each time its group is asked for another version. The others have
// shared theirs by then, or had no more time than since.
TEST_F(VersionPolicyTest,
       ComingBackPutsOffNothingAndTheOthersOfItsGroupOweWhatTheyWereAskedForLast) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6};
  auto welcome = fedvs::testing::welcome(7);
  policy_.ask_for_shares(1, /*now=*/0);
  for (StepNumber step = 1; step <= 3; ++step) {
    hold(7, {0, 0, 0, step, step, step, 0}, 8.0 * static_cast<double>(step) - 1);
    welcome.clients[6].bytes.fill(static_cast<std::uint8_t>(200 + step));
    lives_[6] = welcome.clients[6].short_id();
    board_.meet(6, welcome.clients[6]);
    policy_.meet(welcome);
    policy_.returned(6, step + 1, 8.0 * static_cast<double>(step));
  }
  EXPECT_EQ(policy_.owed_since(6), 0);
  for (int n : {3, 4, 5}) EXPECT_EQ(policy_.owed_since(n), 24);
  EXPECT_THAT(policy_.overdue(/*now=*/25, /*patience=*/10, all), ::testing::Contains(6));
  EXPECT_THAT(policy_.overdue(25, 10, all),
              ::testing::Not(::testing::Contains(::testing::AnyOf(3, 4, 5))));
  // What it shares at last settles that.
  hold(7, {1, 1, 1, 4, 4, 4, 4}, 26);
  for (int n : all) EXPECT_GT(policy_.owed_since(n), 1e9);
  EXPECT_THAT(policy_.overdue(100, 10, all), ElementsAre());
}

// A plan that names the version asked for before it came back is as new as ever.
TEST_F(VersionPolicyTest, AShareThatTooFewWereSentIsScarceAlsoWhenItsSenderHasComeBack) {
  const std::vector<int> all{0, 1, 2, 3, 4, 5, 6};
  policy_.ask_for_shares(1, 0);
  hold(7, {1, 1, 1, 1, 0, 1, 1}, 1);
  hold(5, {1, 1, 1, 1, 1, 1, 1}, 2);
  Plan plan;
  plan.versions = policy_.name(1, VersionPolicy::Choice::kFresh);
  auto welcome = fedvs::testing::welcome(7);
  welcome.clients[4].bytes.fill(200);
  board_.meet(4, welcome.clients[4]);
  policy_.meet(welcome);
  policy_.returned(4, 2, 3);
  EXPECT_FALSE(policy_.outlasts_any_sender(plan, all));
  EXPECT_THAT(policy_.scarce(plan, all), ElementsAre(4));
}

TEST_F(VersionPolicyTest, AGroupOlderThanMaxAgeIsWaitedFor) {
  policy_.ask_for_shares(1, 10);
  hold(7, {1, 1, 1, 0, 0, 0, 0}, 11);
  EXPECT_EQ(named(10)[3], 0u);
  EXPECT_EQ(named(11)[3], 1u);  // the version under way
}

TEST_F(VersionPolicyTest, AFrozenGroupKeepsItsVersionAtAnyAge) {
  policy_.ask_for_shares(1, 10);
  policy_.freeze_group_of(5);
  EXPECT_EQ(named(50)[3], 0u);
  EXPECT_THAT(policy_.frozen(), ElementsAre(false, false, false, true, true, true, true));
  EXPECT_THAT(policy_.ask_for_shares(60, 20, /*all_groups=*/true),
              ElementsAre(true, true, true, false, false, false, false));
}

TEST_F(VersionPolicyTest, AReleasedClientKeepsItsVersionAndTheOthersOfItsGroupGoOn) {
  policy_.release(5);
  policy_.ask_for_shares(1, 10);
  hold(7, {1, 1, 1, 1, 1, 0, 1}, 11);
  EXPECT_EQ(named(1), (Steps{1, 1, 1, 1, 1, 0, 1}));
  EXPECT_THAT(policy_.released(), ElementsAre(false, false, false, false, false, true, false));
}

class DropPolicyTest : public VersionPolicyTest {
 protected:
  DropPolicyTest() : VersionPolicyTest("drop") {}
};

TEST_F(DropPolicyTest, NamesFreshGroupsOnly) {
  policy_.ask_for_shares(1, 10);
  EXPECT_FALSE(policy_.any_fresh(1));
  hold(7, {1, 1, 1, 1, 1, 0, 1}, 11);
  EXPECT_TRUE(policy_.any_fresh(1));
  EXPECT_FALSE(policy_.all_fresh(1));
  const Steps dropped{1, 1, 1, std::nullopt, std::nullopt, std::nullopt, std::nullopt};
  EXPECT_EQ(named(1), dropped);
  EXPECT_DOUBLE_EQ(policy_.slowest_fresh(1), 1.0);
  // An evaluation takes the versions that are held, but none older than max_age.
  EXPECT_EQ(named(1, VersionPolicy::Choice::kOnlyHeld), (Steps{1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(named(11, VersionPolicy::Choice::kOnlyHeld), dropped);
}

class WaitPolicyTest : public VersionPolicyTest {
 protected:
  WaitPolicyTest() : VersionPolicyTest("wait") {}
};

TEST_F(WaitPolicyTest, NamesFreshVersionsWhetherTheyAreHeldOrNot) {
  EXPECT_EQ(named(7), (Steps(7, 7)));
}

TEST(Pace, TheSoftDeadlineIsThreeTimesTheMedianOfTheLastTwentyRounds) {
  Pace pace;
  EXPECT_EQ(pace.soft_deadline(), 10);
  for (double seconds : {1.0, 5.0, 2.0}) pace.add(seconds, seconds / 10);
  EXPECT_DOUBLE_EQ(pace.soft_deadline(), 6);
  EXPECT_DOUBLE_EQ(pace.on_time(), 0.2);
  for (int i = 0; i < 20; ++i) pace.add(4, 1);
  EXPECT_DOUBLE_EQ(pace.soft_deadline(), 12);
}

}  // namespace
}  // namespace fedvs::protocol
