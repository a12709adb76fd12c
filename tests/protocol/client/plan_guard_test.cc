// Every reason for which a client refuses a plan, each with its message.
#include "tests/protocol/client/plan_guard_fixture.h"

namespace fedvs::protocol {
namespace {

TEST_F(PlanGuardTest, AcceptsGoodPlansOfTwoEpochs) {
  for (std::uint64_t round = 0; round < 8; ++round) expect_accepted(plan(round));
}

// ---- rows

TEST_F(PlanGuardTest, RefusesASecondVersionVectorForARowInAnEpoch) {
  expect_accepted(plan(0));
  Plan other = plan(1);
  other.rows = {4, 5, 6};
  expect_refused(other, "coded row 4 was uploaded in epoch 0 with other model versions");
  // In the next epoch the row is free again.
  other.epoch = 1;
  expect_accepted(other);
}

TEST_F(PlanGuardTest, RefusesARowOfAnAbandonedPlanWithOtherVersions) {
  expect_accepted(plan(0));
  expect_accepted(plan(1));
  Plan revision = plan(1);
  revision.revision = 2;
  revision.versions = versions(std::vector<StepNumber>(7, 0));
  expect_refused(revision, "coded row 5 was uploaded in epoch 0 with other model versions");
  revision.rows = plan(2).rows;
  expect_accepted(revision);
}

TEST_F(PlanGuardTest, RefusesVersionsThatDifferInTheirIncarnationOnly) {
  expect_accepted(plan(0));
  Plan restarted = plan(0);
  restarted.revision = 1;
  restarted.versions[3]->incarnation = incarnation(77);
  expect_refused(restarted, "with other model versions");
}

TEST_F(PlanGuardTest, RefusesRowsBeyondTheLast) {
  Plan beyond = plan(0);
  beyond.rows[2] = 20;
  expect_refused(beyond, "coded row 20 is named twice or beyond the last of 20");
}

TEST_F(PlanGuardTest, RefusesARowTwiceInAPlan) {
  Plan twice = plan(0);
  twice.rows[2] = twice.rows[1];
  expect_refused(twice, "coded row 1 is named twice");
}

TEST_F(PlanGuardTest, RefusesMoreRowsThanAPlanMayName) {
  Plan many = plan(0);
  many.rows = {0, 1, 2, 3, 4, 5, 6};
  expect_refused(many, "a plan of 7 coded rows; 1 to 5 are agreed");
  many.rows.clear();
  expect_refused(many, "a plan of 0 coded rows");
}

TEST_F(PlanGuardTest, RefusesToOpenTestRowsTwiceInAnEpochWithOtherVersions) {
  Plan test = plan(3);
  test.part = data::Part::kTest;
  test.rows = {0, 1, 2};
  expect_accepted(test);
  test.round = test.revision = 4;
  test.epoch = 0;
  test.versions = versions(std::vector<StepNumber>(7, 4));
  expect_refused(test, "coded row 0 was uploaded in epoch 0 with other model versions");
}

TEST_F(PlanGuardTest, RefusesMoreEpochsThanTheJobHas) {
  Plan late = plan(0);
  late.epoch = agreement_.epochs + 1;
  expect_refused(late, "of a job of");
}

TEST_F(PlanGuardTest, RefusesToReleaseAClientUnlessTheJobSaysSo) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  exceptions_.frozen = exceptions_.released = {false, false, false, true, false, false, false};
  Plan released = plan(20);
  released.versions = versions({20, 20, 20, 1, 20, 20, 20});
  expect_refused(released, "the versions of clients 4 and 5 differ");
}

TEST_F(PlanGuardTest, RefusesVersionsOfTheFuture) {
  Plan early = plan(2);
  early.versions = versions(std::vector<StepNumber>(7, 3));
  expect_refused(early, "client 1's version 3 is newer than round 2");
}

TEST_F(PlanGuardTest, RefusesVersionsOfAnotherNumberOfClients) {
  Plan few = plan(2);
  few.versions.pop_back();
  expect_refused(few, "a plan with versions of 6 clients instead of 7");
}

TEST_F(PlanGuardTest, RefusesToLeaveAClientOut) {
  ASSERT_TRUE(guard_.accept_groups(groups_));
  Plan dropped = plan(2);
  for (std::size_t n : {0u, 1u, 2u}) dropped.versions[n].reset();
  expect_refused(dropped, "client 1 is left out of the sum, which only late_models = drop may do");
}

// ---- order

TEST_F(PlanGuardTest, RefusesAnEarlierRevision) {
  Plan later = plan(1);
  later.revision = 5;
  expect_accepted(later);
  Plan earlier = plan(2);
  earlier.revision = 4;
  expect_refused(earlier, "revision 4 came after revision 5; a client never goes back");
  earlier.revision = 5;
  expect_refused(earlier, "revision 5 came after revision 5");
}

TEST_F(PlanGuardTest, RefusesAnEarlierRoundOrEpoch) {
  expect_accepted(plan(6));
  Plan round = plan(5);
  round.revision = 7;
  expect_refused(round, "round 5 of epoch 1 came after round 6 of epoch 1");
  Plan epoch = plan(7);
  epoch.epoch = 0;
  expect_refused(epoch, "round 7 of epoch 0 came after round 6 of epoch 1");
}

}  // namespace
}  // namespace fedvs::protocol
