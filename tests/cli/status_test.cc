// `fedvs status`, asking a status endpoint in this process.
#include <atomic>
#include <nlohmann/json.hpp>

#include "fedvs/status/server.h"
#include "fedvs/status/text.h"
#include "tests/cli/cli_fixture.h"
#include "tests/status/sample_status.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using party::RunStatus;
using status::sample_status;
using status::StatusServer;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class StatusCommand : public Cli {
 protected:
  static constexpr const char* kFile = "deploy/server/state/status.address";

  // A server with its folder, as `fedvs server` leaves it.
  std::unique_ptr<StatusServer> serve(StatusServer::Snapshot snapshot = sample_status) {
    auto server = StatusServer::listen(status::kDefaultStatusAddress, std::move(snapshot)).value();
    write("address.new", server->address() + "\n");
    fs::create_directories((folder_ / kFile).parent_path());
    fs::rename(folder_ / "address.new", folder_ / kFile);
    return server;
  }
  // Of a program that still runs.
  std::string out() const { return contents_of(folder_.path().string() + ".stdout"); }
  std::string err() const { return contents_of(folder_.path().string() + ".stderr"); }
};

RunStatus in_round(std::uint64_t round, const std::string& phase = "training") {
  RunStatus status = sample_status();
  status.progress.round = round;
  status.phase = phase;
  return status;
}

TEST_F(StatusCommand, PrintsTheTableOfTheServerInTheFolder) {
  const auto server = serve();
  for (const auto& arguments : {words("status --dir deploy/server"), words("status"),
                                Arguments{"status", "--address", server->address()}}) {
    const Outcome outcome = fedvs(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, status::status_table(sample_status()));
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(StatusCommand, JsonIsTheServersStatus) {
  const auto server = serve();
  const Outcome outcome = fedvs(words("status --json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, status::status_json(sample_status()) + "\n");
}

TEST_F(StatusCommand, WatchAsksAgainUntilTheRunIsDone) {
  std::atomic<std::uint64_t> asked = 0;
  const auto server = serve([&] {
    const std::uint64_t round = ++asked;
    return in_round(round, round < 3 ? "training" : "done");
  });
  const Outcome outcome = fedvs(words("status --watch --json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(json::parse(lines[i]).at("round"), i + 1);
}

TEST_F(StatusCommand, WatchOutlivesARestartOfTheServer) {
  auto server = serve([] { return in_round(7); });
  Program program(folder_.path(), words("status --watch"));
  ASSERT_TRUE(program.wait_until([&] { return out().find("round 7/") != out().npos; })) << err();
  server.reset();
  ASSERT_TRUE(program.wait_until([&] { return err().find("no server answers") != err().npos; }));
  server = serve([] { return in_round(8, "done"); });
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("done, epoch 2/5, round 8/"));
}

TEST_F(StatusCommand, WatchEndsWithTheServerOrWithCtrlC) {
  const auto server = serve();
  const auto shown = [&] { return out().find("Last events") != out().npos; };
  {
    Program program(folder_.path(), words("status --watch"));
    ASSERT_TRUE(program.wait_until(shown)) << err();
    program.send(SIGINT);
    EXPECT_EQ(program.wait().status, 0);
  }
  Program program(folder_.path(), words("status --watch"));
  ASSERT_TRUE(program.wait_until(shown)) << err();
  fs::remove(folder_ / kFile);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("no server runs in deploy/server"));
}

TEST_F(StatusCommand, SaysSinceWhenTheServerIsGone) {
  const std::string address = serve()->address();  // gone at once
  fs::last_write_time(folder_ / kFile,
                      fs::file_time_type::clock::now() - std::chrono::minutes(3 * 60 + 10));
  for (const auto& arguments : {words("status"), words("status --watch")}) {
    expect_refused(arguments, 1,
                   {"fedvs status: no server answers at " + address, kFile, "Z, 3 h 10 m ago",
                    "fedvs server --dir deploy/server"});
  }
  const Outcome outcome = fedvs(words("status --json"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(json::parse(outcome.out).at("error").get<std::string>(), HasSubstr(address));
}

TEST_F(StatusCommand, SaysWhatIsMissing) {
  expect_refused(words("status"), 1, {"there is no folder deploy/server", "--dir", "--address"});
  fs::create_directories(folder_ / "mine/state");
  expect_refused(
      words("status --dir mine"), 1,
      {"no server runs in mine", "mine/state/status.address", "fedvs server --dir mine"});
  for (const char* nonsense : {"", "127.0.0.1:0\n", "not an address", "\x1b[2J"}) {
    write("mine/state/status.address", nonsense);
    expect_refused(words("status --dir mine"), 1, {"does not hold an address"});
  }
  expect_refused(words("status --address nowhere"), 2, {"nowhere", "host:port"});
  expect_refused(words("status --dir mine --address 127.0.0.1:1"), 2, {"--address", "--dir"});
}

TEST_F(StatusCommand, HelpHasAnExample) {
  const Outcome outcome = fedvs(words("status --help"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("Example"), HasSubstr("--watch")));
  expect_refused({"statsu"}, 2, {"did you mean \"status\"?"});
}

}  // namespace
}  // namespace fedvs::cli
