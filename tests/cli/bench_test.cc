// fedvs bench: that it measures everything it should, never how fast.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class BenchCommand : public Cli {};

TEST_F(BenchCommand, JsonHasARateForEveryKernelOfThisMachineAndBothRings) {
  const Outcome outcome = fedvs({"bench", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json figures = json::parse(outcome.out);
  const auto& machine = figures.at("machine");
  ASSERT_FALSE(machine.at("kernels").empty());
  EXPECT_THAT(machine.at("kernels").get<std::vector<std::string>>(),
              testing::Contains(machine.at("active_kernel").get<std::string>()));
  for (const std::string ring : {"rns4", "m31"}) {
    for (const std::string kernel : machine.at("kernels")) {
      EXPECT_GT(figures.at("product." + ring + "." + kernel + ".gmac_per_s"), 0);
    }
    EXPECT_GT(figures.at("encode." + ring + ".gb_per_s"), 0);
    EXPECT_GT(figures.at("masks." + ring + ".gb_per_s"), 0);
  }
  EXPECT_GT(figures.at("round.28_clients.ms"), 0);
  EXPECT_TRUE(everything().empty());
}

TEST_F(BenchCommand, TextSaysWhatItMeansAndProgressGoesToStderr) {
  const Outcome outcome = fedvs({"bench", "--threads", "1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("An epoch of Fashion-MNIST takes about"));
  EXPECT_THAT(outcome.out, HasSubstr("with 1 thread,"));
  EXPECT_THAT(outcome.err, HasSubstr("measuring"));
}

TEST_F(BenchCommand, BadUsageEndsWithTwo) {
  expect_refused({"bench", "--threads", "-1"}, 2, {"--threads"});
  expect_refused({"bench", "--fast"}, 2, {"--fast"});
}

}  // namespace
}  // namespace fedvs::cli
