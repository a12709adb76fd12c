// The commands' manners: help, version, exit statuses, `fedvs data` and `fedvs plan`.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

class Commands : public Cli {};

TEST_F(Commands, HelpOfEveryCommandHasAnExample) {
  for (const std::string command : {"train", "data", "plan", "predict", "bench"}) {
    const Outcome outcome = fedvs({command, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Example"), HasSubstr("\n  fedvs " + command + " ")));
  }
  EXPECT_THAT(fedvs({"--help"}).out, AllOf(HasSubstr("train"), HasSubstr("Example")));
}

TEST_F(Commands, VersionIsANumber) {
  const Outcome outcome = fedvs({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, MatchesRegex("fedvs [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Commands, BadUsageEndsWithTwo) {
  expect_refused({}, 2, {"subcommand", "--help"});
  expect_refused({"trian"}, 2, {"\"trian\"", "did you mean \"train\"?"});
  expect_refused({"train", "--data", "synthetic", "--frobnicate"}, 2, {"--frobnicate"});
  expect_refused({"train", "--data", "synthetic", "--epochs", "many"}, 2, {"--epochs", "many"});
  expect_refused({"--log-level", "loud", "data", "list"}, 2, {"--log-level", "use debug, info"});
  expect_refused({"train", "--resume", "run", "--epochs", "3"}, 2, {"--resume", "--epochs"});
  expect_refused({"predict"}, 2, {"required"});
  expect_refused({"data"}, 2, {"action", "required"});
  expect_refused({"data", "chek"}, 2, {"chek", "check"});
}

TEST_F(Commands, AKernelThatCannotBeUsedIsRefusedAtTheStart) {
  expect_refused({"data", "list"}, 2, {"FEDVS_KERNEL=fast is no kernel", "portable, avx2, vnni"},
                 {{"FEDVS_KERNEL", "fast"}});
  EXPECT_EQ(fedvs({"data", "list"}, {{"FEDVS_KERNEL", "portable"}}).status, 0);
}

TEST_F(Commands, PrintJobSpellsOutTheCompleteJobAndTrainsNothing) {
  const Outcome outcome = fedvs({"train", "--data", "synthetic", "--epochs", "3", "--print-job"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("name = \"synthetic\""), HasSubstr("epochs = 3")));
  EXPECT_TRUE(everything().empty());
  // And the command line it came from is all that is needed to get it again.
  write("job.toml", outcome.out);
  EXPECT_EQ(fedvs({"train", "--job", "job.toml", "--print-job"}).out, outcome.out);
}

class DataCommand : public Cli {
 protected:
  Environment empty_data() const { return {{"FEDVS_DATA", folder_.path().string()}}; }
};

TEST_F(DataCommand, ListNamesEverySet) {
  const Outcome outcome = fedvs({"data", "list"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"fashion-mnist", "emnist", "handwritten", "caltech7", "credit-card",
                           "parkinson", "csv", "synthetic"}) {
    EXPECT_THAT(outcome.out, HasSubstr(name));
  }
  EXPECT_EQ(json::parse(fedvs({"data", "list", "--json"}).out).size(), 6u);
}

TEST_F(DataCommand, CheckOfMissingFilesFailsAndNamesThem) {
  const Outcome outcome = fedvs({"data", "check", "parkinson"}, empty_data());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("pd_speech_features.csv.gz"), HasSubstr("not found")));
  const Outcome as_json = fedvs({"data", "check", "parkinson", "--json"}, empty_data());
  EXPECT_EQ(as_json.status, 1);
  EXPECT_EQ(json::parse(as_json.out).at("ok"), false);
}

TEST_F(DataCommand, CheckOfAWrongFileFailsAndSaysWhatIsWrong) {
  write("parkinson/pd_speech_features.csv.gz", "id,class\n1,0\n");
  const Outcome outcome = fedvs({"data", "check", "parkinson"}, empty_data());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("13 bytes, expected 2253427"));
}

TEST_F(DataCommand, DescribeOfMissingFilesSaysWhereTheyWouldBe) {
  const Outcome outcome = fedvs({"data", "describe", "parkinson"}, empty_data());
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("756 rows, 753 features"), HasSubstr("not read"),
                                 HasSubstr("pd_speech_features.csv.gz is not in")));
}

TEST_F(DataCommand, AnUnknownSetIsBadUsage) {
  expect_refused({"data", "check", "emnits"}, 2, {"\"emnits\"", "did you mean \"emnist\"?"});
  expect_refused({"data", "describe", "emnits"}, 2, {"did you mean \"emnist\"?"});
  expect_refused({"data", "check"}, 2, {"which data set?", "fedvs data list"});
}

TEST_F(DataCommand, CheckAndDescribeOfRealFilesSucceed) {
  if (std::getenv("FEDVS_DATA") == nullptr) GTEST_SKIP() << "skipped: FEDVS_DATA is not set";
  const Outcome check = fedvs({"data", "check", "handwritten"});
  EXPECT_EQ(check.status, 0) << check.out;
  EXPECT_THAT(check.out, HasSubstr("2000 rows, 649 features, 10 classes"));
  const Outcome description = fedvs({"data", "describe", "handwritten"});
  EXPECT_EQ(description.status, 0) << description.err;
  EXPECT_THAT(description.out, AllOf(HasSubstr("6, with"), HasSubstr("10: ")));
}

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
  const json table = rows({"--clients", "28"});
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

TEST_F(PlanCommand, TextShowsTheDefaultAndTheExposure) {
  // Given 20 openings of 64 numbers per row, and 784 features,
  const Outcome outcome = fedvs({"plan", "--clients", "28", "--set", "train.epochs=20", "--set",
                                 "train.evaluate_every=1", "--set", "model.width=64"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("\n*   6   13"), HasSubstr("Exposure 1.63"),
                                 HasSubstr("determine the features"), HasSubstr("data share")));
}

TEST_F(PlanCommand, WhatNoSegmentCountAllowsIsRefused) {
  expect_refused({"plan", "--clients", "28", "--straggling", "26"}, 2,
                 {"26 stragglers", "28 clients", "R = 3", "lower --straggling"});
  expect_refused({"plan", "--clients", "5", "--colluding", "3"}, 2, {"N = 5", "R = "});
  expect_refused({"plan", "--clients", "28", "--straggling", "-1"}, 2, {"--straggling"});
}

}  // namespace
}  // namespace fedvs::cli
