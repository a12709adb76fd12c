// The plan that a client has accepted last, and its upload.
#include "fedvs/protocol/client/open_plan.h"

#include <gtest/gtest.h>

#include "tests/support/agreement_fixture.h"
#include "tests/support/rings.h"

namespace fedvs::protocol {
namespace {

using testing::incarnation;

std::shared_ptr<const Plan> plan_of(data::Part part, std::uint64_t revision = 0) {
  Plan plan{.revision = revision, .part = part, .rows = {0}, .versions = {}};
  plan.versions = {Version{1, incarnation(1)}, std::nullopt, Version{1, incarnation(3)}};
  return std::make_shared<const Plan>(std::move(plan));
}
SharePtr some_share() { return share_of(field::RingMatrix(testing::ring("rns4"), 1, 1)); }

TEST(OpenPlan, WaitsUntilItsUploadBeginsAndAgainWithTheNextPlan) {
  OpenPlan open;
  EXPECT_FALSE(open.waits());
  open.open(plan_of(data::Part::kTrain, 0), {});
  EXPECT_TRUE(open.waits());
  open.begin_upload();
  EXPECT_FALSE(open.waits());
  open.open(plan_of(data::Part::kTrain, 1), {});
  EXPECT_TRUE(open.waits());
}

TEST(OpenPlan, NamesThePlanToTrainOnWhileAnotherEvaluatesAndInTheNextLife) {
  OpenPlan open;
  const auto trained = plan_of(data::Part::kTrain, 0);
  open.open(trained, {});
  open.open(plan_of(data::Part::kTest, 1), {});
  open.begin_life();
  EXPECT_EQ(open.plan(), nullptr);
  EXPECT_EQ(open.trained(), trained);
  EXPECT_TRUE(open.has_trained_on(Plan(*trained)));  // an equal one that came as other bytes
  EXPECT_FALSE(open.has_trained_on(*plan_of(data::Part::kTrain, 2)));
}

TEST(OpenPlan, FindsItsVersionsWhenTheLastThatItNamesIsOnTheShelf) {
  OpenPlan open;
  ShareShelf shelf(3);
  open.open(plan_of(data::Part::kTrain), {});
  shelf.add(2, {1, incarnation(3)}, some_share());
  EXPECT_FALSE(open.versions_are_on(shelf));
  shelf.add(0, {1, incarnation(2)}, some_share());  // of another life
  EXPECT_FALSE(open.versions_are_on(shelf));
  shelf.add(0, {1, incarnation(1)}, some_share());
  EXPECT_TRUE(open.versions_are_on(shelf));
}

TEST(OpenPlan, OneThatIsWithdrawnWaitsForNothing) {
  OpenPlan open;
  open.open(plan_of(data::Part::kTrain), {});
  open.withdraw();
  EXPECT_FALSE(open.waits());
  EXPECT_EQ(open.plan(), nullptr);
}

}  // namespace
}  // namespace fedvs::protocol
