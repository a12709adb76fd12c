// What the server asks for over whole runs, evaluations and abandoned plans included: the rules
// that Theorems 5.2 and 5.3 need plan by plan.
#include <gmock/gmock.h>

#include <set>

#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using testing::Sets;

class View : public ::testing::TestWithParam<Sets> {
 protected:
  View() : trial_(testing::make_world(GetParam())) {
    trial_->tamper();
    trial_->run();
  }
  void SetUp() override {
    ASSERT_TRUE(trial_->world->status()) << trial_->world->status().error().message;
    ASSERT_GT(trial_->plans.size(), trial_->rounds().size());
  }
  std::unique_ptr<testing::Trial> trial_;
};

TEST_P(View, ARowIsOpenedAtMostOnceInAnEpoch) {
  std::set<std::tuple<int, data::Part, std::size_t>> opened;
  std::map<data::Part, std::size_t> rows;
  for (const auto& [revision, plan] : trial_->plans) {
    for (std::size_t row : plan->rows) {
      EXPECT_TRUE(opened.emplace(plan->epoch, plan->part, row).second)
          << "revision " << revision << " row " << row;
      ++rows[plan->part];
    }
  }
  // Every test row was opened after every epoch.
  const auto epochs = static_cast<std::size_t>(trial_->job.train.epochs);
  EXPECT_EQ(rows[data::Part::kTest],
            epochs * trial_->world->agreement().coded_rows(data::Part::kTest));
}

TEST_P(View, ARoundIsOpenedFromRUploadsOfOnePlan) {
  const auto needed = static_cast<std::size_t>(trial_->world->agreement().shape.threshold());
  for (const auto& record : trial_->rounds()) {
    EXPECT_GE(record.responders.size(), needed);
    EXPECT_EQ(std::set<int>(record.responders.begin(), record.responders.end()).size(),
              record.responders.size());
    EXPECT_EQ(trial_->plans.at(record.plan->revision), record.plan);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, View,
    ::testing::Values(Sets{"data.validation_share=0.2"}, Sets{"code.K=1", "code.T=2"},
                      Sets{"protocol.late_models=drop", "sim.seed=6"},
                      Sets{"protocol.late_models=wait", "code.ring=m31", "sim.topology=relay"}));

}  // namespace
}  // namespace fedvs
