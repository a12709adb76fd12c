// What `fedvs plan` says beforehand and what the system says afterwards.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;

class PlannedMemory : public Cli, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
    GTEST_SKIP() << "skipped: a sanitizer takes memory of its own, and without optimisation the "
                    "data takes minutes";
#endif
  }
  // Bytes of a simulation with K segments.
  double planned(const Arguments& job, int blocks) {
    const Outcome outcome = fedvs(Arguments{"plan", "--json"} + job);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const auto& row : json::parse(outcome.out)) {
      if (row.at("K") != blocks) continue;
      return row.at("simulation_memory_bytes").get<double>() +
             row.at("simulation_file_bytes").get<double>();
    }
    return 0;
  }
};

TEST_P(PlannedMemory, IsThePeakOfTheRunWithinAFifth) {
  const Arguments job = words(std::string("--data synthetic --set train.epochs=1 ") + GetParam());
  const Outcome run = fedvs(words("train --json --out run") + job);
  ASSERT_EQ(run.status, 0) << run.err;
  const double plan = planned(job, json::parse(run.out).at("K"));
  EXPECT_NEAR(plan / run.peak_memory, 1, 0.2)
      << plan << " planned, " << run.peak_memory << " taken";
  EXPECT_GT(run.peak_memory, 400e6) << "data that outweigh the program";
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, PlannedMemory,
    testing::Values(
        // Preparing the features takes most.
        "--clients 16 --set data.rows=35000 --set data.features=1000 --set train.batch_size=512",
        // Rounded powers, their masks and large batches do.
        "--clients 8 --set data.rows=25000 --set data.features=400 --set model.degrees=[3] "
        "--set train.batch_size=1024",
        // Everybody's shares do.
        "--clients 8 --set data.rows=20000 --set data.features=500 --set train.batch_size=1024 "
        "--set sim.data_shares=kept"));

}  // namespace
}  // namespace fedvs::cli
