// `fedvs up`: a server and clients as processes, over real sockets of this machine.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kStoppedAndSaved = 3;

// Four clients of two columns each; R = 3.
const Arguments kFour =
    words("up --data synthetic --set data.rows=400 --set data.features=8 --clients 4 --dir here") +
    kTiny;

class Up : public Cli {
 protected:
  std::size_t rounds() const {
    const std::string events = text("here/run/events.jsonl");
    return static_cast<std::size_t>(std::count(events.begin(), events.end(), '\n'));
  }
  std::string said() const { return contents_of(folder_.path().string() + ".stderr"); }
  // Every process that `up` starts holds the folder's lock until it ends.
  bool all_processes_are_gone() const {
    const int lock = ::open((folder_ / "here/lock").c_str(), O_RDWR);
    if (lock < 0) return false;
    const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
    ::close(lock);
    return free;
  }
};

TEST_F(Up, TrainsOverSocketsToTheEndAndSaysWhereTheReportIs) {
  const Outcome outcome = fedvs(kFour + words("--epochs 2"));
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err << text("here/logs/server.log");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("% test accuracy"), HasSubstr("here/run/report.html")));
  EXPECT_TRUE(fs::exists(folder_ / "here/run/report.html"));
  EXPECT_EQ(lines_of(text("here/run/metrics.csv")).size(), 1u + 2u);  // the header, and epochs
  for (const char* name : {"server", "client-1", "client-4"}) {
    EXPECT_THAT(outcome.err, HasSubstr(std::string(name) + " ended: done"));
  }
  EXPECT_THAT(text("here/deploy/server/roster.toml"), HasSubstr("trial = true"));
  EXPECT_TRUE(all_processes_are_gone());
  // Once finished, it is shown again, and nothing is started.
  const Outcome again = fedvs(words("up --dir here"));
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("here/run/report.html"));
  EXPECT_EQ(again.err, "");
  // So is a server that a service manager starts again.
  const Outcome server =
      fedvs(words("server --dir here/deploy/server --labels here/parties/labels.csv"));
  EXPECT_EQ(server.status, 0) << server.err;
  EXPECT_THAT(server.err, HasSubstr("finished before"));
}

TEST_F(Up, OneSignalStopsAndSavesAndTheFolderGoesOn) {
  Program program(folder_.path(), kFour + words("--epochs 40"));
  ASSERT_TRUE(program.wait_until([&] { return rounds() > 20; })) << said();
  program.send(SIGINT);
  const Outcome stopped = program.wait();
  ASSERT_EQ(stopped.status, kStoppedAndSaved) << stopped.err << text("here/logs/server.log");
  EXPECT_THAT(stopped.out, HasSubstr("go on   fedvs up --dir here"));
  EXPECT_TRUE(all_processes_are_gone());
  const Outcome ended = fedvs(words("up --dir here --json"));
  ASSERT_EQ(ended.status, 0) << ended.err << text("here/logs/server.log");
  const json summary = json::parse(ended.out);
  EXPECT_GT(summary.at("test_accuracy"), 0.5);
  for (const auto& [party, status] : summary.at("exit_statuses").items()) {
    EXPECT_EQ(status, 0) << party << text("here/logs/" + party + ".log");
  }
  EXPECT_EQ(lines_of(text("here/run/metrics.csv")).size(), 1u + 40u);
}

TEST_F(Up, ASecondSignalLeavesNoProcessBehind) {
  Program program(folder_.path(), kFour + words("--epochs 1000"));
  ASSERT_TRUE(program.wait_until([&] { return rounds() > 5; })) << said();
  program.send(SIGINT);
  program.send(SIGTERM);
  program.wait();
  EXPECT_TRUE(all_processes_are_gone());
}

TEST_F(Up, AKilledClientIsToldAndComesBackByTheCommandThatIsPrinted) {
  // Given a run, and the process that the hint names,
  Program program(folder_.path(), kFour + words("--epochs 1000 --set protocol.dead_after=5 "
                                                "--set train.idle_epochs=count"));
  ASSERT_TRUE(program.wait_until([&] { return rounds() > 5; })) << said();
  std::smatch hint;
  const std::string hints = said();
  ASSERT_TRUE(std::regex_search(hints, hint, std::regex("kill -9 ([0-9]+)"))) << hints;
  // When that one is killed, then it is told, and rounds are still opened.
  ASSERT_EQ(::kill(std::stoi(hint[1]), SIGKILL), 0);
  const auto says = [&](const std::string& what) {
    return program.wait_until([&] { return said().find(what) != std::string::npos; });
  };
  ASSERT_TRUE(says("client-4 ended: killed by signal 9")) << said();
  ASSERT_TRUE(
      says("start it again: fedvs client --dir here/deploy/client-4 --data "
           "here/parties/client-4.csv"))
      << said();
  const std::size_t then = rounds();
  EXPECT_TRUE(program.wait_until([&] { return rounds() > then + 20; })) << said();
  // When it is started again, then the server lets it in.
  const auto times_connected = [&] {
    const std::string all = said();
    const std::regex connected("client-4 connected");
    return std::distance(std::sregex_iterator(all.begin(), all.end(), connected), {});
  };
  Program client(folder_ / "here",
                 words("client --dir deploy/client-4 --data parties/client-4.csv"));
  EXPECT_TRUE(program.wait_until([&] { return times_connected() == 2; })) << said();
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, kStoppedAndSaved) << text("here/logs/server.log");
  client.send(SIGTERM);
  EXPECT_EQ(client.wait().status, kStoppedAndSaved);
}

TEST_F(Up, OneCommandAtATimeWorksInAFolder) {
  Program program(folder_.path(), kFour + words("--epochs 1000"));
  ASSERT_TRUE(program.wait_until([&] { return rounds() > 0; })) << said();
  // Beside it, from another folder: the outcome's files are named after the folder.
  const Outcome second =
      Program(folder_ / "here", {"up", "--dir", (folder_ / "here").string()}).wait();
  EXPECT_EQ(second.status, 5);
  EXPECT_THAT(second.err, HasSubstr("another fedvs is running"));
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, kStoppedAndSaved);
}

TEST_F(Up, WhatCannotRunIsRefusedBeforeAnythingIsMade) {
  expect_refused(words("up"), 2, {"--data NAME", "--dir DIR"});
  expect_refused(words("up --dir nowhere"), 1, {"nowhere is no folder of fedvs up"});
  expect_refused(kFour + words("--set method=wait"), 2, {"method = \"wait\""});
  expect_refused(kFour + words("--set data.clients=2"), 2, {"N = 2"});
  expect_refused(kFour + words("--set train.epcohs=4"), 2, {"did you mean train.epochs"});
  expect_refused(words("up --data none.csv --label x --clients 3 --dir here"), 1, {"none.csv"});
  write("here/keep", "");
  expect_refused(kFour, 5, {"here exists already", "fedvs up --dir here"});
  expect_refused(words("up --dir here"), 1, {"here is no folder of fedvs up"});
}

TEST_F(Up, ErrorsAreJsonToo) {
  const Outcome outcome = fedvs(words("up --json --dir nowhere"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(json::parse(outcome.out).at("error"), HasSubstr("nowhere"));
}

TEST_F(Up, ShowsAnExample) {
  const Outcome outcome = fedvs(words("up --help"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples"), HasSubstr("fedvs up --data handwritten")));
}

}  // namespace
}  // namespace fedvs::cli
