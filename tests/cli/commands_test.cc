// The commands' manners: help, version, exit statuses and `fedvs data`.
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
  for (const std::string command : {"train", "predict", "bench", "server", "client"}) {
    expect_refused({command, "--threads", "99999"}, 2, {"--threads", "99999", "1024"});
    expect_refused({command, "--threads", "-1"}, 2, {"--threads", "-1"});
  }
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

TEST_F(DataCommand, ExportWritesAFilePerParty) {
  const Outcome outcome = fedvs(words(
      "data export synthetic --clients 3 --set data.rows=50 --set data.features=7 --out parties"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "parties/client-1.csv: 50 rows, 3 features\nparties/client-2.csv: 50 rows, 2 "
            "features\nparties/client-3.csv: 50 rows, 2 features\nparties/labels.csv: 50 rows, 2 "
            "classes\n");
  EXPECT_THAT(text("parties/client-2.csv"), testing::StartsWith("id,x3,x4\n01,"));
  EXPECT_THAT(text("parties/labels.csv"), testing::StartsWith("id,label\n01,0\n02,1\n"));
  expect_refused(words("data export synthetic --out parties"), 5, {"parties is not empty"});
}

TEST_F(DataCommand, ExportTakesOnesOwnCsv) {
  write("mail.csv", mail_csv(30));
  const Outcome outcome =
      fedvs(words("data export mail.csv --label kind --clients 3 --out parties --json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json files = json::parse(outcome.out);
  EXPECT_EQ(files.at("clients").size(), 3u);
  EXPECT_EQ(files.at("labels"), "parties/labels.csv");
  EXPECT_THAT(lines_of(text("parties/client-3.csv")), testing::SizeIs(31));
}

TEST_F(DataCommand, ExportSaysWhatItNeeds) {
  expect_refused({"data", "export"}, 2, {"which data set?"});
  expect_refused({"data", "export", "synthetic"}, 2, {"where to?", "--out parties"});
  expect_refused(words("data export synthtic --out parties"), 2, {"did you mean \"synthetic\"?"});
  expect_refused(words("data export mine.csv --out parties"), 2, {"data.label"});
  expect_refused(words("data list --out parties"), 2, {"--out", "fedvs data export"});
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

}  // namespace
}  // namespace fedvs::cli
