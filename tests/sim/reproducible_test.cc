// A run is determined by its job and seed, to the last bit; and a resumed run is the same run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fedvs/field/kernel.h"
#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using testing::Sets;
using testing::Trial;

// All that a round record says, comparable.
struct Round {
  Digest plan;
  std::vector<int> responders;
  std::vector<bool> shared;
  int abandoned;
  double started, opened, loss;
  bool operator==(const Round&) const = default;
};

std::vector<Round> rounds_of(const Trial& trial, std::size_t from = 0) {
  std::vector<Round> rounds;
  for (std::size_t i = from; i < trial.rounds().size(); ++i) {
    const auto& r = trial.rounds()[i];
    rounds.push_back({protocol::plan_digest(*r.plan), r.responders, r.shared, r.abandoned,
                      r.started, r.opened, r.loss});
  }
  return rounds;
}

struct Evaluated {
  int epoch;
  data::Part part;
  double at, loss, accuracy;
  bool operator==(const Evaluated&) const = default;
};

std::vector<Evaluated> evaluations_of(const Trial& trial, std::size_t from = 0) {
  std::vector<Evaluated> all;
  for (std::size_t i = from; i < trial.recorder.evaluations.size(); ++i) {
    const auto& e = trial.recorder.evaluations[i];
    all.push_back({e.epoch, e.part, e.at, e.metrics.loss, e.metrics.accuracy});
  }
  return all;
}

TEST(World, RunsTheSameTwice) {
  const Sets sets = {"sim.seed=5"};
  const auto first = testing::run_world(sets), second = testing::run_world(sets);
  EXPECT_EQ(rounds_of(*first), rounds_of(*second));
  EXPECT_EQ(evaluations_of(*first), evaluations_of(*second));
  EXPECT_EQ(first->probabilities(), second->probabilities());
  EXPECT_EQ(first->world->simulator().events(), second->world->simulator().events());
  EXPECT_EQ(first->recorder.notes, second->recorder.notes);
}

TEST(World, RunsTheSameOnEveryKernel) {
  for (const std::string ring : {"rns4", "m31"}) {
    const Sets sets{"code.ring=" + ring, "model.width=19", "model.degrees=[2]"};
    std::vector<double> losses;
    for (field::Kernel kernel : field::available_kernels()) {
      const field::KernelForTests forced(kernel);
      const auto trial = testing::run_world(sets);
      if (losses.empty()) losses = trial->recorder.losses();
      EXPECT_EQ(trial->recorder.losses(), losses) << ring << " on " << name(kernel);
    }
    EXPECT_GE(losses.size(), 18u);
  }
}

TEST(World, RunsOtherwiseWithAnotherSeed) {
  const auto first = testing::run_world({"sim.seed=5"}),
             second = testing::run_world({"sim.seed=6"});
  EXPECT_NE(first->recorder.losses(), second->recorder.losses());
  EXPECT_NE(first->rounds().back().opened, second->rounds().back().opened);
}

// Runs to `events`, saves, and goes on in a new world, which must end as the whole run did.
void expect_same_after_resuming_at(const Sets& sets, const Trial& whole, std::uint64_t events) {
  auto before = testing::make_world(sets);
  before->run([&] { return before->world->simulator().events() >= events; });
  const auto parts = before->world->save();
  const std::size_t rounds = before->rounds().size(),
                    evaluations = before->recorder.evaluations.size();
  before.reset();

  auto after = testing::make_world(sets);
  const Status restored = after->world->restore(parts);
  ASSERT_TRUE(restored) << restored.error().message;
  after->run();
  ASSERT_TRUE(after->world->status()) << after->world->status().error().message;
  EXPECT_EQ(rounds_of(*after), rounds_of(whole, rounds));
  EXPECT_EQ(evaluations_of(*after), evaluations_of(whole, evaluations));
  EXPECT_EQ(after->probabilities(), whole.world->learner().probabilities());
}

class Resume : public ::testing::TestWithParam<Sets> {};

// Whatever the parties were doing when the run stopped: gradients on the way, some uploads in, an
// evaluation half done.
TEST_P(Resume, GoesOnExactlyWhereItStopped) {
  const auto whole = testing::run_world(GetParam());
  const std::uint64_t events = whole->world->simulator().events();
  for (std::uint64_t i = 1; i < 8; ++i) {
    const std::uint64_t stop = events * i / 8 + i % 7;
    SCOPED_TRACE(fmt::format("stopped after {} of {} events", stop, events));
    expect_same_after_resuming_at(GetParam(), *whole, stop);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, Resume,
    ::testing::Values(Sets{"protocol.late_models=reuse"},
                      Sets{"protocol.late_models=wait", "train.lr_decay=0.8"},
                      Sets{"protocol.late_models=drop", "train.client_optimizer=momentum"},
                      Sets{"data.validation_share=0.2", "train.patience=1", "train.epochs=8",
                           "train.lr=0.2", "train.lr_decay=0.9"},
                      Sets{"code.ring=m31", "protocol.opening=paper", "sim.topology=relay",
                           "sim.delays=none"}));

TEST(Resume, RefusesAPartThatIsMissingOrCorrupt) {
  auto stopped = testing::make_world({});
  stopped->run([&] { return stopped->rounds().size() >= 4; });
  const auto parts = stopped->world->save();
  for (const auto& [name, bytes] : parts) {
    auto without = parts;
    without.erase(name);
    const Status missing = testing::make_world({})->world->restore(without);
    ASSERT_FALSE(missing) << name;
    EXPECT_EQ(missing.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(missing.error().message, ::testing::HasSubstr(name));

    auto torn = parts;
    torn[name].resize(bytes.size() / 2);
    const Status corrupt = testing::make_world({})->world->restore(torn);
    ASSERT_FALSE(corrupt) << name;
    EXPECT_EQ(corrupt.error().code, ErrorCode::kCorrupt) << name;
  }
}

TEST(Resume, RefusesTheCheckpointOfAnotherJob) {
  auto stopped = testing::make_world({});
  stopped->run([&] { return stopped->rounds().size() >= 4; });
  const Status wider =
      testing::make_world({"model.width=5"})->world->restore(stopped->world->save());
  ASSERT_FALSE(wider);
  EXPECT_EQ(wider.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace fedvs
