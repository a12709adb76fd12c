// Many short runs in which clients and the server die, freeze, lose their connections and come back
// at random moments, never leaving fewer than R: every one must end, by itself and well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "tests/support/stage.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::Sets;
using fedvs::testing::Stage;

class Chaos {
 public:
  Chaos(Stage& stage, unsigned seed) : stage_(stage), random_(seed), asleep_(9, false) {}

  // One thing, that leaves five clients alive and awake.
  void disturb() {
    const int n = pick(9);
    switch (pick(5)) {
      case 0:
      case 1:
        return stage_.alive(n) ? kill(n) : stage_.start_client(n);
      case 2:
        if (stage_.alive(n) && !asleep_[index(n)]) stage_.come_back(n);
        return;
      case 3:
        return asleep_[index(n)] ? thaw(n) : freeze(n);
      default:
        if (pick(4) != 0) return;
        stage_.kill_server();
        stage_.start_server();
    }
  }
  void calm() {
    for (int n = 0; n < 9; ++n) {
      if (asleep_[index(n)]) thaw(n);
      if (!stage_.alive(n)) stage_.start_client(n);
    }
  }
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

 private:
  static std::size_t index(int n) { return static_cast<std::size_t>(n); }
  bool may_lose(int n) const {
    int awake = 0;
    for (int m = 0; m < 9; ++m) awake += stage_.alive(m) && !asleep_[index(m)] ? 1 : 0;
    return stage_.alive(n) && !asleep_[index(n)] && awake > 5;
  }
  void kill(int n) {
    if (may_lose(n)) stage_.kill_client(n, /*noticed=*/pick(4) != 0);
  }
  void freeze(int n) {
    if (!may_lose(n)) return;
    stage_.freeze_client(n);
    asleep_[index(n)] = true;
  }
  void thaw(int n) {
    stage_.thaw_client(n);
    asleep_[index(n)] = false;
  }
  Stage& stage_;
  std::mt19937 random_;
  std::vector<bool> asleep_;
};

void run_disturbed(Stage& stage, unsigned seed) {
  Chaos chaos(stage, seed);
  stage.start();
  int quiet = 40 + chaos.pick(400), disturbances = 25;
  while (disturbances-- > 0 && !stage.server().done() && stage.server().status()) {
    stage.run([&] { return --quiet <= 0; });
    if (stage.server().training_started()) chaos.disturb();
    quiet = 20 + chaos.pick(600);
  }
  chaos.calm();
  stage.run();
}

void expect_each_mask_once(const Stage& stage) {
  std::set<MaskId> named;
  for (const auto& [revision, plan] : stage.plans) {
    for (const auto& mask : plan->masks) EXPECT_TRUE(named.insert(mask).second);
  }
}

class ChaosTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ChaosTest, EveryDisturbedRunEndsWell) {
  const char* more = std::getenv("FEDVS_CHAOS_RUNS");
  const unsigned runs = more == nullptr ? 40 : static_cast<unsigned>(std::atoi(more));
  for (unsigned seed = 1; seed <= runs; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Stage stage(Sets{GetParam(), "protocol.max_age=3", "train.epochs=6"},
                /*wait_for_return=*/1e9);
    run_disturbed(stage, seed);
    ASSERT_TRUE(stage.server().status()) << stage.server().status().error().message << "\n"
                                         << stage.describe();
    ASSERT_TRUE(stage.server().done()) << stage.describe();
    expect_each_mask_once(stage);
  }
}

INSTANTIATE_TEST_SUITE_P(LateModels, ChaosTest,
                         ::testing::Values("protocol.late_models=reuse",
                                           "protocol.late_models=wait",
                                           "protocol.late_models=drop"),
                         [](const auto& test) { return std::string(test.param).substr(21); });

}  // namespace
}  // namespace fedvs::protocol
