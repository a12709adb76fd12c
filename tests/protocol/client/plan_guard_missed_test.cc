// Plans that a client learns of by their gradients alone, after it was away.
#include "tests/protocol/client/plan_guard_fixture.h"

namespace fedvs::protocol {
namespace {

class MissedPlan : public PlanGuardTest {
 protected:
  explicit MissedPlan(std::vector<std::string> sets = {}) : PlanGuardTest(std::move(sets)) {}
  void expect_taken(const Plan& plan) const {
    const Status status = guard_.check_missed(plan);
    EXPECT_TRUE(status) << status.error().message;
  }
  void expect_not_taken(const Plan& plan, const std::string& reason) const {
    const Status status = guard_.check_missed(plan);
    ASSERT_FALSE(status) << "taken, though " << reason;
    EXPECT_EQ(status.error().code, ErrorCode::kRefused);
    EXPECT_THAT(status.error().message, HasSubstr(reason));
  }
  Plan with_steps(std::uint64_t round, const std::vector<StepNumber>& steps) const {
    Plan made = plan(round);
    made.versions = versions(steps);
    return made;
  }
};

TEST_F(MissedPlan, NamesEveryClient) {
  Plan lonely = plan(7);
  for (std::size_t n = 1; n < 7; ++n) lonely.versions[n].reset();
  expect_not_taken(lonely, "client 2 is left out of the sum");
}

TEST_F(MissedPlan, NamesDistinctTrainingRowsOfTheJob) {
  Plan twice = plan(7);
  twice.rows[1] = twice.rows[0];
  expect_not_taken(twice, "named twice");
  Plan beyond = plan(7);
  beyond.rows[0] = 20;
  expect_not_taken(beyond, "beyond the last of 20");
  Plan more = plan(7);
  more.rows = {0, 1, 2, 3, 4, 5, 6};
  expect_not_taken(more, "a plan of 7 coded rows");
  Plan later = plan(7);
  later.epoch = agreement_.epochs;  // after the last, counted from 0
  expect_not_taken(later, "of a job of");
  Plan evaluation = plan(7);
  evaluation.part = data::Part::kTest;
  expect_not_taken(evaluation, "only evaluates");
}

TEST_F(MissedPlan, NamesOneStepPerGroupAndNoneOfTheFuture) {
  expect_not_taken(with_steps(7, {7, 7, 7, 6, 6, 6, 6}), "they are in one group");
  ASSERT_TRUE(guard_.accept_groups(groups_));
  expect_taken(with_steps(7, {7, 7, 7, 6, 6, 6, 6}));
  expect_not_taken(with_steps(7, {7, 7, 7, 6, 5, 6, 6}), "they are in one group");
  expect_not_taken(with_steps(7, {8, 8, 8, 6, 6, 6, 6}), "newer than round 7");
  expect_taken(with_steps(70, {70, 70, 70, 6, 6, 6, 6}));  // frozen
}

TEST_F(MissedPlan, KeepsTheOrderOfThePlansAccepted) {
  expect_accepted(plan(3));
  expect_taken(plan(3));
  Plan other = plan(3);
  other.rows = {0, 1};
  expect_not_taken(other, "this client accepted revision 3 for round 3");
  other.revision = 2;
  expect_not_taken(other, "this client accepted revision 3");
  other.revision = 4;
  expect_taken(other);
  Plan earlier = plan(2);
  expect_taken(earlier);
  earlier.revision = 5;
  expect_not_taken(earlier, "a gradient of revision 5 for round 2");
}

class MissedPlanDrop : public MissedPlan {
 protected:
  MissedPlanDrop() : MissedPlan({"protocol.late_models=drop"}) {}
};

TEST_F(MissedPlanDrop, LeavesOutWholeGroupsOnly) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  Plan whole = plan(7);
  for (std::size_t n = 0; n < 3; ++n) whole.versions[n].reset();
  expect_taken(whole);
  Plan part = plan(7);
  part.versions[0].reset();
  expect_not_taken(part, "they are in one group");
}

class MissedPlanRelease : public MissedPlan {
 protected:
  MissedPlanRelease() : MissedPlan({"protocol.on_dead=release"}) {}
};

TEST_F(MissedPlanRelease, LetsNoMoreClientsGoThanMayBeMissing) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  expect_taken(with_steps(7, {7, 7, 7, 6, 2, 6, 6}));
  expect_taken(with_steps(7, {7, 7, 3, 6, 2, 6, 6}));
  expect_not_taken(with_steps(7, {7, 7, 3, 6, 2, 6, 1}), "3 clients released");
}

TEST_F(MissedPlanRelease, KeepsAReleasedClientWhereItWasLetGo) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  exceptions_.released.assign(7, false);
  exceptions_.released[4] = true;
  expect_accepted(with_steps(7, {7, 7, 7, 7, 7, 7, 7}));
  expect_taken(with_steps(8, {8, 8, 8, 7, 7, 7, 7}));
  expect_taken(with_steps(8, {8, 8, 8, 8, 7, 8, 8}));
  expect_not_taken(with_steps(8, {8, 8, 8, 8, 8, 8, 8}), "moves again");
  expect_taken(with_steps(6, {6, 6, 6, 6, 6, 6, 6}));  // before it was
}

}  // namespace
}  // namespace fedvs::protocol
