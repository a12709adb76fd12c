// Why a client refuses groups, or a plan whose versions single somebody out; and what jobs that
// drop, release or do not mask allow besides.
#include "tests/protocol/client/plan_guard_fixture.h"

namespace fedvs::protocol {
namespace {

TEST_F(PlanGuardTest, BeforeGroupsFormAllClientsAreOneGroup) {
  Plan split = plan(3);
  split.versions = versions({3, 3, 3, 2, 2, 2, 2});
  expect_refused(split, "the versions of clients 1 and 4 differ, but they are in one group");
}

TEST_F(PlanGuardTest, RefusesAVersionThatSplitsAGroup) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  Plan together = plan(3);
  together.versions = versions({3, 3, 3, 2, 2, 2, 2});
  expect_accepted(together);
  Plan split = plan(4);
  split.versions = versions({4, 4, 4, 4, 4, 3, 4});
  expect_refused(split, "the versions of clients 4 and 6 differ, but they are in one group");
}

TEST_F(PlanGuardTest, RefusesGroupsThatChange) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  EXPECT_TRUE(guard_.accept_groups(groups_));
  const Status changed = guard_.accept_groups({{0, 1, 3}, {2, 4, 5, 6}});
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, HasSubstr("groups changed during the run"));
}

TEST_F(PlanGuardTest, RefusesOtherGroupsThanAnEarlierRunBindsItTo) {
  guard_.bind(groups_);
  const Status other = guard_.accept_groups({{0, 1, 3}, {2, 4, 5, 6}});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("other groups than those of an earlier run"));
  EXPECT_TRUE(guard_.accept_groups({{6, 5, 4, 3}, {2, 0, 1}})) << "the same, in another order";
}

TEST_F(PlanGuardTest, RefusesGroupsSmallerThanTPlusTwo) {
  const Status small = guard_.accept_groups({{0, 1}, {2, 3, 4, 5, 6}});
  ASSERT_FALSE(small);
  EXPECT_THAT(small.error().message, HasSubstr("a group of 2 clients is smaller than T + 2 = 3"));
}

TEST_F(PlanGuardTest, RefusesGroupsThatAreNoPartition) {
  for (const Groups& groups : {Groups{{0, 1, 2}, {3, 4, 5}}, Groups{{0, 1, 2}, {2, 3, 4, 5, 6}},
                               Groups{{0, 1, 2}, {3, 4, 5, 7}}, Groups{}}) {
    const Status status = guard_.accept_groups(groups);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("do not hold each of the 7 clients once"));
  }
}

TEST_F(PlanGuardTest, RefusesVersionsOlderThanMaxAge) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  Plan old = plan(12);
  old.versions = versions({12, 12, 12, 1, 1, 1, 1});
  expect_refused(old, "client 4's version 1 is 11 rounds old; max_age is 10");
  old.versions = versions({12, 12, 12, 2, 2, 2, 2});
  expect_accepted(old);
}

TEST_F(PlanGuardTest, AFrozenGroupMayBeOfAnyAge) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  exceptions_.frozen = {false, false, false, true, true, true, true};
  Plan old = plan(60);
  old.versions = versions({60, 60, 60, 1, 1, 1, 1});
  expect_accepted(old);
  Plan others = plan(61);
  others.versions = versions({20, 20, 20, 1, 1, 1, 1});
  expect_refused(others, "client 1's version 20 is 41 rounds old");
}

TEST_F(PlanGuardTest, AFrozenGroupMovesAsAWholeOrNotAtAll) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  exceptions_.frozen = {false, false, false, true, true, true, true};
  Plan first = plan(40);
  first.versions = versions({40, 40, 40, 3, 3, 3, 3});
  expect_accepted(first);
  Plan alone = plan(41);
  alone.versions = versions({41, 41, 41, 4, 3, 3, 3});
  expect_refused(alone, "clients 4 and 5 differ");
  // Its dead member has come back.
  Plan together = plan(41);
  together.versions = versions({41, 41, 41, 41, 41, 41, 41});
  exceptions_.frozen.assign(7, false);
  expect_accepted(together);
}

// ---- jobs that allow more

class DropPlanGuardTest : public PlanGuardTest {
 protected:
  DropPlanGuardTest() : PlanGuardTest({"protocol.late_models=drop"}) {}
};

TEST_F(DropPlanGuardTest, LeavesOutWholeGroupsOnly) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  Plan dropped = plan(2);
  for (std::size_t n : {0u, 1u, 2u}) dropped.versions[n].reset();
  expect_accepted(dropped);
  Plan single = plan(3);
  single.versions[4].reset();
  expect_refused(single, "the versions of clients 4 and 5 differ, but they are in one group");
}

class ReleasePlanGuardTest : public PlanGuardTest {
 protected:
  ReleasePlanGuardTest() : PlanGuardTest({"protocol.on_dead=release"}) {}
};

TEST_F(ReleasePlanGuardTest, AReleasedClientMayDifferFromItsGroup) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  exceptions_.frozen = exceptions_.released = {false, false, false, true, false, false, false};
  Plan released = plan(20);
  released.versions = versions({20, 20, 20, 1, 20, 20, 20});
  expect_accepted(released);
}

class PaperPlanGuardTest : public PlanGuardTest {
 protected:
  PaperPlanGuardTest() : PlanGuardTest({"protocol.opening=paper", "code.ring=m31"}) {}
};

}  // namespace
}  // namespace fedvs::protocol
