// `fedvs plan`: the table of every K, and the one that "auto" stands for.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class PlanCommand : public Cli {
 protected:
  json rows(const Arguments& more) {
    const Outcome outcome = fedvs(Arguments{"plan", "--json"} + more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  }
};

TEST_F(PlanCommand, ListsExactlyTheSegmentCountsThatNClientsAllow) {
  // Given 28 clients and T = 2, then R = 2 (K + 1) + 1 <= 28 for K = 1 .. 12.
  const json table = rows({"--clients", "28", "--colluding", "2"});
  ASSERT_EQ(table.size(), 12u);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const int blocks = static_cast<int>(i) + 1;
    EXPECT_EQ(table[i].at("K"), blocks);
    EXPECT_EQ(table[i].at("R"), 2 * (blocks + 2 - 1) + 1);
    EXPECT_EQ(table[i].at("stragglers"), 28 - table[i].at("R").get<int>());
    EXPECT_GT(table[i].at("exposure"), 0);
  }
}

TEST_F(PlanCommand, SharesShrinkAsSegmentsGrow) {
  const json table = rows({"--clients", "14"});
  for (std::size_t i = 1; i < table.size(); ++i) {
    EXPECT_LT(table[i].at("data_share_bytes"), table[i - 1].at("data_share_bytes"));
    EXPECT_LT(table[i].at("client_file_bytes"), table[i - 1].at("client_file_bytes"));
  }
}

TEST_F(PlanCommand, StragglingLeavesOnlyWhatSurvivesThem) {
  const json table = rows({"--clients", "28", "--straggling", "10"});
  ASSERT_EQ(table.size(), 8u);  // R = 2 K + 1 <= 18
  for (const auto& row : table) EXPECT_GE(row.at("stragglers"), 10);
}

TEST_F(PlanCommand, TextShowsTheChoiceAndTheExposure) {
  // Given 20 openings of 64 numbers per row, and 784 features, 28 of every client: of a group of
  // three with T = 1, two are honest; of all 28 clients, 27,
  const Outcome outcome = fedvs({"plan", "--clients", "28", "--set", "train.epochs=20", "--set",
                                 "train.evaluate_every=1", "--set", "model.width=64"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("\n*   1    3"), HasSubstr("Exposure 22.86"),
                    HasSubstr("1.69 over the 756 of all"), HasSubstr("determine the columns"),
                    HasSubstr("necessary, not sufficient"), HasSubstr("data share"),
                    HasSubstr("s/round"), HasSubstr("the fastest")));
}

TEST_F(PlanCommand, AutoIsTheSmallestKWithinTwoPercentOfTheFastest) {
  const json table = rows({"--clients", "12", "--set", "sim.client_gmacs=0.01"});
  double fastest = 1e9;
  for (const auto& row : table) fastest = std::min(fastest, row.at("round_seconds").get<double>());
  bool chosen = false;
  for (const auto& row : table) {
    EXPECT_GT(row.at("round_seconds_spread"), 0);
    EXPECT_EQ(row.at("auto"), !chosen && row.at("round_seconds") <= 1.02 * fastest);
    chosen |= row.at("auto").get<bool>();
  }
  EXPECT_TRUE(chosen);
}

TEST_F(PlanCommand, TrainingTakesTheKThatItMarksAndWritesItDown) {
  const Arguments job =
      words("--data synthetic --set data.rows=400 --clients 9 --set train.epochs=1");
  // Given machines so slow that K = 1 is not the fastest,
  const Arguments slow = job + words("--set sim.client_gmacs=3e-4");
  const Outcome run = fedvs(words("train --json --out run") + slow);
  ASSERT_EQ(run.status, 0) << run.err;
  const json blocks = json::parse(run.out).at("K");
  EXPECT_GT(blocks, 1);
  for (const auto& row : rows(slow)) EXPECT_EQ(row.at("auto"), row.at("K") == blocks);
  EXPECT_THAT(text("run/job.toml"), HasSubstr("K = " + blocks.dump()));
}

TEST_F(PlanCommand, MoreClientsThanItTriesHaveCostsButNoTimes) {
  const Outcome outcome = fedvs({"plan", "--clients", "120"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n*  29   59         61         -"),
                                 HasSubstr("not predicted (at most 100 clients)")));
}

class PlanOfParties : public PlanCommand {
 protected:
  void SetUp() override {
    write("job.toml", "[data]\nname = \"parties\"\n[model]\nwidth = 4\n[train]\nepochs = 6\n");
  }
  static constexpr const char* kCounts = "--rows 10000 --columns 12,30,7,9,25,11,14 --classes 2";
};

TEST_F(PlanOfParties, SaysWhichCountsAreMissing) {
  expect_refused(
      words("plan --job job.toml"), 2,
      {"data.name = \"parties\"", "missing: --rows, --columns, --classes", "--columns 12,30,7"});
  expect_refused(words("plan --job job.toml --rows 100"), 2, {"missing: --columns, --classes"});
  expect_refused(words("plan --job job.toml --set data.clients=3 ") + words(kCounts), 2,
                 {"--columns has 7 counts", "data.clients = 3"});
  expect_refused(words("plan --data synthetic --rows 100"), 2, {"go together", "--columns"});
  expect_refused(words("plan --job job.toml --rows 0 --columns 1 --classes 2"), 2, {"--rows"});
}

TEST_F(PlanOfParties, HasCostsThresholdAbsencesAndExposure) {
  const json table = rows(words("--job job.toml") + words(kCounts));
  // Of N = 7, T = 1, K = 1: R = 3, Q = 5.
  EXPECT_EQ(table[0].at("R"), 3);
  EXPECT_EQ(table[0].at("auto"), true);
  EXPECT_EQ(table[0].at("may_be_away_for_moments"), 4);
  EXPECT_EQ(table[0].at("may_be_away_for_long"), 2);
  EXPECT_EQ(table[0].at("one_group"), false);
  EXPECT_GT(table[0].at("data_share_bytes"), 0);
  // 4 numbers, 6 times: over 7 + 9 columns of the two narrowest; over all but the widest's 30.
  EXPECT_DOUBLE_EQ(table[0].at("exposure"), 24.0 / 16);
  EXPECT_DOUBLE_EQ(table[0].at("exposure_all"), 24.0 / 78);
  const Outcome text = fedvs(words("plan --job job.toml") + words(kCounts));
  EXPECT_THAT(text.out, AllOf(HasSubstr("4 of 7 clients for moments"), HasSubstr("2 for long"),
                              HasSubstr("Exposure 1.50"), HasSubstr("necessary, not sufficient")));
  EXPECT_THAT(text.out, testing::Not(HasSubstr("one group")));
}

TEST_F(PlanOfParties, WarnsWhereOneAbsentClientStopsEverybodysLearning) {
  const Outcome outcome =
      fedvs(words("plan --job job.toml --rows 1000 --columns 3,4,5,6,7 --classes 2"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("fewer than 2 (T + 2) = 6"), HasSubstr("one group"),
                                 HasSubstr("NO client learns")));
}

TEST_F(PlanCommand, WhatNoSegmentCountAllowsIsRefused) {
  expect_refused({"plan", "--clients", "28", "--straggling", "26"}, 2,
                 {"26 stragglers", "28 clients", "R = 3", "lower --straggling"});
  expect_refused({"plan", "--clients", "5", "--colluding", "3"}, 2, {"N = 5", "R = "});
  expect_refused({"plan", "--clients", "28", "--straggling", "-1"}, 2, {"--straggling"});
}

}  // namespace
}  // namespace fedvs::cli
