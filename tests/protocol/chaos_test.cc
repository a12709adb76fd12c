// Many short runs in which clients and the server die, freeze, lose their connections and come back
// at random moments, never leaving fewer than R: every one must end, by itself and well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/support/disturbance.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::Chaos;
using fedvs::testing::Sets;
using fedvs::testing::Stage;

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
  }
}

INSTANTIATE_TEST_SUITE_P(LateModels, ChaosTest,
                         ::testing::Values("protocol.late_models=reuse",
                                           "protocol.late_models=wait",
                                           "protocol.late_models=drop"),
                         [](const auto& test) { return std::string(test.param).substr(21); });

}  // namespace
}  // namespace fedvs::protocol
