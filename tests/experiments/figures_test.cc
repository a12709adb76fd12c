#include "fedvs/experiments/figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "fedvs/coding/shape.h"
#include "fedvs/experiments/compute_dominant.h"
#include "fedvs/job/presets.h"

namespace fedvs::experiments {
namespace {

Plan plan_of(Size size) {
  Plan plan;
  for (const auto& key : figure_keys()) {
    const auto definition = define_figure(key, size);
    EXPECT_TRUE(add_figure(plan, definition, definition.seeds, {})) << key;
  }
  return plan;
}

class Figures : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Figures, testing::Values(Size::kQuick, Size::kNormal, Size::kFull));

// add_figure() completes and validates every job; here, that K and T fit the 28 clients.
TEST_P(Figures, HaveJobsThatCanRun) {
  const Plan plan = plan_of(GetParam());
  ASSERT_EQ(plan.study.figures.size(), 5u);
  for (const auto& trial : plan.trials) {
    const Job& job = trial.job;
    EXPECT_GT(trial.seconds, 0) << trial.name;
    if (!is_coded(job) || job.code.blocks == 0) continue;
    EXPECT_GE((coding::Shape{28, job.code.blocks, job.code.colluding}).stragglers(), 0)
        << trial.name;
  }
}

TEST_P(Figures, ShareRunsOfTheSameJob) {
  const Plan plan = plan_of(GetParam());
  std::set<std::string> names, ids;
  for (const auto& trial : plan.trials) {
    EXPECT_TRUE(names.insert(trial.name).second) << trial.name << " is there twice";
  }
  std::size_t runs = 0;
  for (const auto& figure : plan.study.figures) {
    for (const auto& panel : figure.panels) {
      EXPECT_TRUE(ids.insert(panel.id).second) << panel.id << " is there twice";
      for (const auto& line : panel.lines) {
        for (const auto& run : line.runs) {
          EXPECT_TRUE(names.contains(run)) << run;
          ++runs;
        }
      }
    }
  }
  EXPECT_GT(runs, plan.trials.size());  // Figure 4 at T = 1 is Figure 3 at K = 4
}

TEST(FigureSizes, AreEstimatedToTakeWhatTheProgramPromises) {
  constexpr double kCores = 2, kMinutes = 60, kHours = 3600;
  EXPECT_LT(plan_of(Size::kQuick).seconds() / kCores, 15 * kMinutes);
  EXPECT_LT(plan_of(Size::kNormal).seconds() / kCores, 3 * kHours);
}

TEST(FigureSets, OfTheUserWin) {
  Plan plan;
  ASSERT_TRUE(add_figure(plan, define_figure("fig4", Size::kQuick), 1, {"train.epochs=7"}));
  for (const auto& trial : plan.trials) EXPECT_EQ(trial.job.train.epochs, 7);
  EXPECT_FALSE(add_figure(plan, define_figure("fig4", Size::kQuick), 1, {"train.epochs=-7"}));
}

TEST(ComputeDominant, TakesTenTimesTheMeanDelay) {
  // 256 samples x (784 + 28) inputs x 64; delays of 0.1 s on average for 14 clients, and of
  // 2 + 4 i / 28 s for i = 1 .. 14.
  double delay = 14 * 0.1;
  for (int i = 1; i <= 14; ++i) delay += 2 + 4 * i / 28.0;
  const double seconds = 256.0 * (784 + 28) * 64 / (compute_dominant_gmacs() * 1e9);
  EXPECT_NEAR(seconds, 10 * delay / 28, 1e-9);
}

}  // namespace
}  // namespace fedvs::experiments
