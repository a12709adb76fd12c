// fedvs compare as people use it: real runs as processes, stopped, gone on with, and failing.
#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/file_size_limit.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFailed = 1, kBadUsage = 2, kStoppedAndSaved = 3, kRefused = 5;

Arguments compare(const std::string& methods, int rows = 200, int epochs = 2) {
  return words("compare --data synthetic --clients 6 --out study --methods " + methods +
               " --set data.features=8 --set data.rows=" + std::to_string(rows) + " --epochs " +
               std::to_string(epochs)) +
         kTiny;
}

class Compare : public Cli {
 protected:
  // Run folders by name, without the digest: "synthetic-wait-seed1".
  std::map<std::string, std::filesystem::path> runs() const {
    std::map<std::string, std::filesystem::path> found;
    if (!std::filesystem::exists(folder_ / "study/runs")) return found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "study/runs")) {
      const std::string name = entry.path().filename();
      if (entry.is_directory()) found[name.substr(0, name.rfind('-'))] = entry.path();
    }
    return found;
  }
  std::vector<std::string> events(const std::string& run) const {
    return lines_of(contents_of(runs().at(run) / "events.jsonl"));
  }
  // One that ended before the signal came is begun again.
  Outcome interrupted(const Arguments& command) {
    constexpr int kTries = 5;
    for (int i = 0; i < kTries; ++i) {
      std::filesystem::remove_all(folder_ / "study");
      Program program(folder_.path(), command);
      program.wait_until([&] {
        return runs().size() == 2 && events("synthetic-fedvs-seed1").size() > 300 &&
               events("synthetic-vafl-seed1").size() > 10;
      });
      program.send(SIGINT);
      const Outcome outcome = program.wait();
      if (outcome.status != 0) return outcome;
    }
    return {};
  }
  // Processes that name the folder of a run of this test.
  static int processes_of(const std::filesystem::path& run) {
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string words = contents_of(entry.path() / "cmdline");
      found += words.find(run.filename()) != std::string::npos;
    }
    return found;
  }
};

TEST_F(Compare, RunsEveryMethodAndSeedAndMakesThePage) {
  const Outcome outcome =
      fedvs(compare("fedvs,fedvs-paper,wait,ignore,vafl,wait-dp") + words("--seeds 2 --json"));
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json said = json::parse(outcome.out);
  EXPECT_EQ(said["runs"], 12);
  EXPECT_EQ(said["ran"], 12);
  ASSERT_EQ(said["tables"][0]["rows"].size(), 6u);
  EXPECT_EQ(said["tables"][0]["rows"][4][0], "vafl");
  const std::string page = text("study/report.html");
  EXPECT_THAT(page, HasSubstr("6 methods on synthetic"));
  EXPECT_THAT(page, HasSubstr("wait-dp, seed 1: the first"));
  EXPECT_EQ(runs().size(), 12u);
}

TEST_F(Compare, DoesNotRunAgainWhatHasEnded) {
  ASSERT_EQ(fedvs(compare("wait,ignore") + words("--seeds 1")).status, 0);
  const auto wait = runs().at("synthetic-wait-seed1");
  const auto before = std::filesystem::last_write_time(wait / "result.json");
  // When a seed is added, then only its runs are new.
  const Outcome more = fedvs(compare("wait,ignore") + words("--seeds 2 --json"));
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(json::parse(more.out)["runs"], 4);
  EXPECT_EQ(json::parse(more.out)["ran"], 2);
  EXPECT_EQ(std::filesystem::last_write_time(wait / "result.json"), before);
}

TEST_F(Compare, KeepsOtherMethodsOfTheSameSettingsOnThePage) {
  ASSERT_EQ(fedvs(compare("wait,ignore") + words("--seeds 1")).status, 0);
  const Outcome more = fedvs(compare("vafl,wait") + words("--seeds 1 --json"));
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(json::parse(more.out)["ran"], 1);
  const json rows = json::parse(more.out)["tables"][0]["rows"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[2][0], "ignore");
  EXPECT_EQ(rows[2][2], "1 of 1");
  EXPECT_THAT(text("study/report.html"), HasSubstr("3 methods on synthetic"));
  // When the settings are others, then the methods of before are named and left out.
  const Outcome other = fedvs(compare("wait", 200, 1) + words("--seeds 1"));
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.err + other.out, HasSubstr("run with other settings: vafl, ignore"));
  EXPECT_THAT(text("study/report.html"), HasSubstr("wait on synthetic"));
}

TEST_F(Compare, SaysWhereItsRunsComeFrom) {
  ASSERT_EQ(fedvs(compare("wait,ignore") + words("--seeds 1")).status, 0);
  const auto result = runs().at("synthetic-wait-seed1") / "result.json";
  auto said = json::parse(contents_of(result));
  EXPECT_TRUE(said["commit"].is_string());
  EXPECT_THAT(said["machine"].get<std::string>(), HasSubstr("cores"));
  EXPECT_THAT(text("study/report.html"), HasSubstr("Where the runs come from"));
  EXPECT_THAT(text("study/report.html"), Not(HasSubstr("A mixture")));
  // When a run is one of a program that did not say, then the page is of a mixture.
  said.erase("commit");
  said.erase("machine");
  put(result, said.dump());
  ASSERT_EQ(fedvs(words("report study")).status, 0);
  EXPECT_THAT(text("study/report.html"), HasSubstr("A mixture"));
}

TEST_F(Compare, GoesOnWhereItWasStopped) {
  // Given the events of runs that nobody stops,
  const Arguments command = compare("fedvs,vafl", 7143, 6) + words("--seeds 1 --jobs 2");
  ASSERT_EQ(fedvs(command).status, 0);
  const auto fedvs_events = events("synthetic-fedvs-seed1");
  const auto vafl_events = events("synthetic-vafl-seed1");
  // When the comparison is stopped while both run,
  const Outcome stopped = interrupted(command);
  ASSERT_EQ(stopped.status, kStoppedAndSaved) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("go on with the same command"));
  // Then the same command goes on, and ends like one that was never stopped.
  const Outcome again = fedvs(command);
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(events("synthetic-fedvs-seed1"), fedvs_events);
  EXPECT_EQ(events("synthetic-vafl-seed1"), vafl_events);
}

TEST_F(Compare, LeavesNoRunBehindWhenItIsKilled) {
  const Arguments command = compare("fedvs", 7143, 200) + words("--seeds 1");
  Program program(folder_.path(), command);
  ASSERT_TRUE(program.wait_until(
      [&] { return !runs().empty() && events("synthetic-fedvs-seed1").size() > 100; }));
  program.send(SIGKILL);
  program.wait();
  // Then its run, which would take a minute more, ends too, and has saved what it has.
  const auto run = runs().at("synthetic-fedvs-seed1");
  constexpr int kPatience = 3000;
  for (int i = 0; i < kPatience && processes_of(run) > 0; ++i) usleep(10'000);
  EXPECT_EQ(processes_of(run), 0);
  EXPECT_TRUE(std::filesystem::exists(run / "checkpoint/latest.ckpt"));
  EXPECT_FALSE(std::filesystem::exists(run / "result.json"));
}

TEST_F(Compare, IsAloneInItsFolder) {
  const Arguments command = compare("fedvs", 7143, 200) + words("--seeds 1");
  Program first(folder_.path(), command);
  ASSERT_TRUE(first.wait_until(
      [&] { return !runs().empty() && events("synthetic-fedvs-seed1").size() > 10; }));
  // When a second one with another method comes, in a folder beside it for its words,
  std::filesystem::create_directory(folder_ / "elsewhere");
  const std::string study = text("study/study.json");
  Arguments again = compare("wait");
  std::ranges::replace(again, std::string("study"), std::string("../study"));
  const Outcome second = Program(folder_ / "elsewhere", again).wait();
  // Then it is refused, and what the first one consists of stays as it was.
  EXPECT_EQ(second.status, kRefused) << second.err;
  EXPECT_THAT(second.err, HasSubstr("another fedvs is running in ../study"));
  EXPECT_EQ(text("study/study.json"), study);
  first.send(SIGINT);
  EXPECT_EQ(first.wait().status, kStoppedAndSaved);
}

TEST_F(Compare, SaysWhichRunFailedAndShowsTheOthers) {
  // K = 4 and T = 1 need 9 of 6 clients, which only the coded method minds.
  const Outcome outcome = fedvs(compare("wait,fedvs") + words("--seeds 1 --set code.K=4"));
  EXPECT_EQ(outcome.status, kFailed) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("synthetic-fedvs-seed1"));
  EXPECT_THAT(outcome.err, HasSubstr("= 9 answers"));  // the run's own words
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 runs failed"));
  EXPECT_THAT(text("study/report.html"), HasSubstr("1 of 2 runs have ended"));
}

TEST_F(Compare, KeepsFinishedRunsWhenTheDiskIsFull) {
  ASSERT_EQ(fedvs(compare("wait") + words("--seeds 1")).status, 0);
  const std::string result = contents_of(runs().at("synthetic-wait-seed1") / "result.json");
  {
    const testing::FileSizeLimit full(3000);
    const Outcome outcome = fedvs(compare("wait,ignore") + words("--seeds 1"));
    EXPECT_EQ(outcome.status, kFailed);
    EXPECT_THAT(outcome.err, HasSubstr("cannot write"));
  }
  EXPECT_EQ(contents_of(runs().at("synthetic-wait-seed1") / "result.json"), result);
  const Outcome again = fedvs(compare("wait,ignore") + words("--seeds 1 --json"));
  ASSERT_EQ(again.status, 0) << again.out;
  EXPECT_EQ(json::parse(again.out)["ran"], 1);
}

TEST_F(Compare, KeepsARunThatEndedWhenNobodyWasThereToTakeItsResult) {
  ASSERT_EQ(fedvs(compare("wait") + words("--seeds 1")).status, 0);
  const auto run = runs().at("synthetic-wait-seed1");
  const std::string metrics = contents_of(run / "metrics.csv");  // with seconds of this machine
  std::filesystem::remove(run / "result.json");
  const Outcome again = fedvs(compare("wait") + words("--seeds 1 --json"));
  ASSERT_EQ(again.status, 0) << again.out;
  EXPECT_EQ(json::parse(again.out)["ran"], 0);
  EXPECT_EQ(contents_of(run / "metrics.csv"), metrics);
}

TEST_F(Compare, RefusesAFolderThatHoldsSomethingElse) {
  write("study/notes.txt", "mine");
  expect_refused(compare("wait"), kRefused, {"study: there is something else here", "--out DIR"});
}

TEST_F(Compare, RefusesAFolderOfAnotherVersion) {
  write("study/study.json", R"({"format": 1, "program": "fedvs 0.0.1"})");
  write("study/runs/old/result.json", "{}");
  expect_refused(compare("wait"), kRefused, {"study/study.json", "fedvs 0.0.1", "--out DIR"});
}

TEST_F(Compare, SuggestsTheMethodThatWasMeant) {
  expect_refused(compare("fedvs,ignroe"), kBadUsage, {"\"ignroe\"", "did you mean \"ignore\"?"});
}

TEST_F(Compare, WantsDataToCompareOn) { expect_refused({"compare"}, kBadUsage, {"--data NAME"}); }

TEST_F(Compare, ListsItsRunsWithoutRunningThem) {
  const auto before = everything();
  const Outcome outcome = fedvs(compare("wait,vafl") + words("--seeds 3 --dry-run"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("synthetic-vafl-seed3"));
  EXPECT_THAT(outcome.out, HasSubstr("6 runs, 0 of them ended before"));
  EXPECT_EQ(everything(), before);
}

}  // namespace
}  // namespace fedvs::cli
