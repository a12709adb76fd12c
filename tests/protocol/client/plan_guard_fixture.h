// A guard with a small job, good plans for it, and what it says of others.
#pragma once
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "fedvs/protocol/client/plan_guard.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {

using fedvs::testing::incarnation;
using ::testing::HasSubstr;

class PlanGuardTest : public ::testing::Test {
 protected:
  explicit PlanGuardTest(std::vector<std::string> sets = {})
      : agreement_(fedvs::testing::small_agreement(std::move(sets))), guard_(agreement_) {}

  std::vector<std::optional<Version>> versions(const std::vector<StepNumber>& steps) const {
    std::vector<std::optional<Version>> all;
    for (std::size_t n = 0; n < steps.size(); ++n) {
      all.push_back(Version{steps[n], incarnation(static_cast<std::uint8_t>(n + 1))});
    }
    return all;
  }
  // A good plan: fresh versions, other rows. Five batches an epoch.
  Plan plan(std::uint64_t round) const {
    Plan made;
    made.round = round;
    made.revision = round;
    made.epoch = static_cast<int>(round) / 4;
    for (std::size_t i = 0; i < 5; ++i) made.rows.push_back((round % 4) * 5 + i);
    made.versions = versions(std::vector<StepNumber>(7, round));
    return made;
  }
  void expect_accepted(const Plan& plan) {
    const Status status = guard_.accept(plan, exceptions_);
    EXPECT_TRUE(status) << status.error().message;
  }
  void expect_refused(const Plan& plan, const std::string& reason) {
    const Status status = guard_.accept(plan, exceptions_);
    ASSERT_FALSE(status) << "accepted, though " << reason;
    EXPECT_EQ(status.error().code, ErrorCode::kRefused);
    EXPECT_THAT(status.error().message, HasSubstr(reason));
  }

  Agreement agreement_;
  PlanGuard guard_;
  PlanGuard::Exceptions exceptions_;
  const Groups groups_{{0, 1, 2}, {3, 4, 5, 6}};
};

}  // namespace fedvs::protocol
