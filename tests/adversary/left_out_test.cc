// A server that leaves one client out of a sum and has it back in the next: the difference is that
// client's embeddings. late_models = drop leaves out whole groups and must not let a client be left
// out by itself. With on_dead = release, where a client may differ from its group, it would: a job
// cannot have both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fedvs/protocol/client/plan_guard.h"
#include "fedvs/protocol/segments.h"
#include "tests/adversary/puppets.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using namespace protocol;  // NOLINT: a test's

constexpr int kVictim = 3;

// Clients in training, in groups, that drop late ones.
class LeftOut : public ::testing::Test {
 protected:
  LeftOut()
      : stage_({"train.epochs=9", "protocol.warmup_rounds=2", "protocol.late_models=drop"}),
        puppets_(stage_),
        rows_(a().batch_rows()) {
    stage_.sign_nothing();  // the attacker has the key: what else keeps it from it?
    stage_.start();
    stage_.run([this] { return stage_.server().rounds() >= 6; });
    std::iota(rows_.begin(), rows_.end(), 0u);
    epoch_ = stage_.recorder.rounds.back().plan->epoch;
    puppets_.cut_connections();
    puppets_.say_to_all(puppets_.welcome());
    puppets_.settle();
  }
  const Agreement& a() const { return stage_.agreement(); }

  using Sums = std::optional<std::vector<std::int64_t>>;
  Sums open(Plan plan, bool without_the_victim) {
    Step step = puppets_.step();
    if (without_the_victim) plan.versions[kVictim].reset();
    step.released[kVictim] = without_the_victim;
    step.plan = std::make_shared<const Plan>(std::move(plan));
    puppets_.say_to_all(step);
    puppets_.settle();
    return puppets_.open(*step.plan);
  }
  std::vector<std::int64_t> embeddings_of(int n, StepNumber step) {
    const auto& rows = puppets_.model(n).rows(data::Part::kTrain);
    const auto& w = puppets_.model(n).rounded().at(step);
    std::vector<std::int32_t> x(rows.cols());
    std::vector<std::int64_t> made;
    for (const std::size_t sample : samples_of(a(), data::Part::kTrain, rows_)) {
      rows.integers(sample, x);
      for (std::size_t c = 0; c < a().width; ++c) {
        std::int64_t sum = 0;
        for (std::size_t p = 0; p < x.size(); ++p) sum += std::int64_t{x[p]} * w[c * x.size() + p];
        made.push_back(sum);
      }
    }
    return made;
  }

  testing::Stage stage_;
  testing::Puppets puppets_;
  std::vector<std::size_t> rows_;
  int epoch_ = 0;
};

TEST_F(LeftOut, AReleasedClientIsNotLeftOutOfASumAndPutBack) {
  const std::uint64_t round = puppets_.round();
  const Sums without = open(puppets_.plan(round, epoch_ + 1, rows_), true);
  const Sums with = open(puppets_.plan(round, epoch_ + 2, rows_), false);
  const auto truth = embeddings_of(kVictim, round);
  std::size_t read = 0;
  for (std::size_t i = 0; without && with && i < truth.size(); ++i) {
    read += (*with)[i] - (*without)[i] == truth[i];
  }
  std::printf("entries of one client's embeddings read: %zu of %zu\n", read, truth.size());
  EXPECT_EQ(read, 0u);
  EXPECT_THAT(puppets_.refusals(), Each(HasSubstr("is left out of the sum")));
}

// Nor by a gradient of a plan that all have missed: the victim alone would not learn.
TEST_F(LeftOut, AClientThatAMissedPlanLeavesOutLearnsLikeTheOthersOrNobodyDoes) {
  const std::uint64_t round = puppets_.round();
  Plan missed = puppets_.plan(round, epoch_ + 1, rows_);
  missed.versions[kVictim].reset();
  Step step = puppets_.step();
  const std::size_t values = rows_.size() * static_cast<std::size_t>(a().shape.blocks) * a().width;
  step.gradient = std::make_shared<const Gradient>(std::make_shared<const Plan>(missed),
                                                   std::vector<float>(values, 0.1f));
  puppets_.say_to_all(step);
  puppets_.settle();
  int taken = 0;
  for (int n = 0; n < a().shape.parties; ++n) taken += puppets_.model(n).step() > round ? 1 : 0;
  std::printf("clients that learn without the victim: %d\n", taken);
  EXPECT_EQ(taken, 0);
}

// A plan that names one client, called released, and drops all others: what the guard of a job with
// both would accept. The opened sum is that client's embeddings.
TEST(DropAndRelease, TogetherWouldOpenASumOfOneClientSoNoJobHasBoth) {
  auto agreement = testing::small_agreement({"protocol.on_dead=release"});
  agreement.late_models = LateModels::kDrop;
  PlanGuard guard(agreement);
  ASSERT_TRUE(guard.accept_groups({{0, 1, 2}, {3, 4, 5, 6}}));
  Plan plan{.rows = {0, 1}, .versions = {}};
  plan.versions.resize(7);
  plan.versions[kVictim] = Version{0, {}};
  std::vector<bool> released(7, false);
  released[kVictim] = true;
  EXPECT_TRUE(guard.accept(plan, {std::vector<bool>(7, false), released}));

  const auto job = complete_job(
      {.toml = std::nullopt,
       .sets = {"data.name=synthetic", "protocol.late_models=drop", "protocol.on_dead=release"}});
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, HasSubstr("would open sums of a released client alone"));
}

// Rows are scored once, with everybody's models: groups are not remembered there, so that the sums
// of others would tell a client apart in the next scoring.
TEST(LeftOutOfScoring, NoGroupIsDropped) {
  const auto agreement = testing::small_agreement({"protocol.late_models=drop"}, /*train_rows=*/0);
  PlanGuard guard(agreement);
  ASSERT_TRUE(guard.accept_groups({{0, 1, 2}, {3, 4, 5, 6}}));
  Plan plan{.rows = {0, 1}, .versions = {}};
  plan.part = data::Part::kTest;
  for (int n = 0; n < 7; ++n) {
    const bool dropped = n < 3;
    plan.versions.push_back(dropped ? std::nullopt : std::optional(Version{0, {}}));
  }
  const std::vector<bool> none(7, false);
  EXPECT_THAT(guard.accept(plan, {none, none}).error().message,
              HasSubstr("is left out of the sum"));
}

}  // namespace
}  // namespace fedvs
