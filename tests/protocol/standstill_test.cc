// How long a run stands still while R clients are there: after every accident the next sum is
// opened within dead_after and two seconds, on the stage, where time passes by waiting only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/disturbance.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::Chaos;
using fedvs::testing::Sets;
using fedvs::testing::Stage;

constexpr double kDeadAfter = 5, kGrace = 2, kHopeless = 100;

// Seconds since the last accident or the last sum that was opened, whichever was later, and in
// which R clients could answer: one that was killed may lack what others sent who sleep, or are
// dead.
class Standstill {
 public:
  Standstill(Stage& stage, const Chaos& chaos) : stage_(stage), chaos_(chaos) {}
  void accident() { since_ = stage_.now(); }
  void look() {
    if (stage_.server().openings() != openings_ || !stage_.server().training_started()) {
      openings_ = stage_.server().openings();
      since_ = stage_.now();
    }
    constexpr double kWorthALook = 1;  // second
    if (stage_.now() - since_ > kWorthALook && able() < stage_.agreement().uploads_needed()) {
      since_ = stage_.now();
    }
    longest_ = std::max(longest_, stage_.now() - since_);
    if (longest_ > kDeadAfter + kGrace && described_.empty()) described_ = stage_.describe();
  }
  double longest() const { return longest_; }
  const std::string& described() const { return described_; }

 private:
  // Who are awake and hold the models that the newest plan names.
  int able() {
    int count = 0;
    for (int n = 0; n < stage_.agreement().shape.parties; ++n) {
      count += chaos_.awake(n) && holds(n, *stage_.plans.rbegin()->second) ? 1 : 0;
    }
    return count;
  }
  bool holds(int n, const Plan& plan) {
    const auto models = stage_.client(n).held_models();
    for (std::size_t m = 0; m < plan.versions.size(); ++m) {
      const auto named = [&](const MessagePtr& message) {
        const auto& share = std::get<ModelShare>(*message);
        return share.from == static_cast<int>(m) && share.version == plan.versions[m];
      };
      if (plan.versions[m] && std::ranges::none_of(models, named)) return false;
    }
    return stage_.client(n).holdings().data_complete;
  }
  Stage& stage_;
  const Chaos& chaos_;
  std::uint64_t openings_ = 0;
  double since_ = 0, longest_ = 0;
  std::string described_;
};

class StandstillTest : public ::testing::TestWithParam<const char*> {};

TEST_P(StandstillTest, AfterAnyAccidentThatLeavesRTheNextSumIsOpenedWithinDeadAfterAndTwoSeconds) {
  const char* more = std::getenv("FEDVS_CHAOS_RUNS");
  const unsigned runs = more == nullptr ? 40 : static_cast<unsigned>(std::atoi(more));
  double longest = 0;
  for (unsigned seed = 1; seed <= runs; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Stage stage(Sets{GetParam(), "protocol.max_age=3", "train.epochs=6", "protocol.dead_after=5",
                     "train.idle_epochs=count"},
                /*wait_for_return=*/1e9);
    Chaos chaos(stage, seed);
    Standstill standstill(stage, chaos);
    stage.start();
    int quiet = 40 + chaos.pick(400), accidents = 25;
    const auto going = [&] { return !stage.server().done() && stage.server().status(); };
    while (going() && accidents-- > 0 && standstill.longest() < kHopeless) {
      stage.run([&] {
        standstill.look();
        return --quiet <= 0 || standstill.longest() > kHopeless;
      });
      quiet = 20 + chaos.pick(600);
      if (!going() || !stage.server().training_started()) continue;
      chaos.disturb();
      standstill.accident();
    }
    chaos.calm();
    standstill.accident();
    stage.run([&] {
      standstill.look();
      return false;
    });
    ASSERT_TRUE(stage.server().status()) << stage.server().status().error().message;
    longest = std::max(longest, standstill.longest());
    EXPECT_LE(standstill.longest(), kDeadAfter + kGrace) << standstill.described();
  }
  RecordProperty("longest_standstill_seconds", std::to_string(longest));
  std::printf("longest standstill in %u runs: %.2f s\n", runs, longest);
}

INSTANTIATE_TEST_SUITE_P(LateModels, StandstillTest,
                         ::testing::Values("protocol.late_models=reuse",
                                           "protocol.late_models=wait",
                                           "protocol.late_models=drop"),
                         [](const auto& test) { return std::string(test.param).substr(21); });

// Everybody loses power. Those who are back first go on; the others are not waited for.
TEST(PowerCut, TrainingGoesOnWithinFiveSecondsOfTheLastOfRClients) {
  for (const int back : {5, 7, 9}) {
    Stage stage(Sets{"protocol.late_models=reuse", "protocol.dead_after=60"});
    stage.start();
    stage.run_until_round(9);
    for (int n = 0; n < 9; ++n) stage.kill_client(n);
    stage.kill_server();
    stage.start_server();
    for (int n = 0; n < back; ++n) stage.start_client(n);
    const double started = stage.now();
    stage.run([&] { return stage.server().openings() > 0; });
    EXPECT_GT(stage.server().openings(), 0u) << stage.describe();
    EXPECT_LT(stage.now() - started, 5) << back << " clients\n" << stage.describe();
    for (int n = back; n < 9; ++n) stage.start_client(n);
    stage.run();
    EXPECT_TRUE(stage.server().done()) << stage.describe();
  }
}

}  // namespace
}  // namespace fedvs::protocol
