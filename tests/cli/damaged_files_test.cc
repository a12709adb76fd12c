// Files that were damaged while nothing ran. Records of the past are set aside and the run goes on;
// a file that training needs stops the party whose it is, with its name and what to do.
#include <sys/wait.h>

#include <csignal>
#include <functional>

#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kFailed = 1, kStoppedAndSaved = 3;

const std::vector<std::pair<std::string, std::function<std::string(const std::string&)>>> kDamages{
    {"cut", [](const std::string& bytes) { return bytes.substr(0, bytes.size() / 2); }},
    {"zeros", [](const std::string& bytes) { return std::string(bytes.size(), '\0'); }},
    {"noise", [](std::string bytes) {
       std::mt19937 random(5);
       for (char& c : bytes) c = static_cast<char>(random());
       return bytes;
     }}};

pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

class DamagedFiles : public Parties {
 protected:
  void SetUp() override {
    make_parties(
        "[code]\nK = 1\nT = 1\n[train]\nepochs = 100000\nbatch_size = 60\n[protocol]\n"
        "dead_after = 2\n");
  }
  std::unique_ptr<Program> start_server() {
    return start("server", {"server", "--dir", path("deploy/server"), "--labels",
                            path("parties/labels.csv"), "--wait", "120"});
  }
  std::size_t events() const {
    const std::string events = text("deploy/server/run/events.jsonl");
    return static_cast<std::size_t>(std::count(events.begin(), events.end(), '\n'));
  }
  // Everybody runs until there are so many more events, and stops.
  void train() {
    const auto server = start_server();
    const Programs clients = start_clients();
    ASSERT_TRUE(server->wait_until([&] {
      return said_by("server").find("epoch   ") != std::string::npos;
    })) << said_by("server");
    const auto then = events();
    ASSERT_TRUE(server->wait_until([&] { return events() > then + 20; })) << said_by("server");
    server->send(SIGTERM);
    const Outcome ended = server->wait();
    EXPECT_EQ(ended.status, kStoppedAndSaved) << ended.err;
    said_ = ended.err;
    for (const auto& client : clients) {
      const Outcome end = client->wait();
      EXPECT_EQ(end.status, kStoppedAndSaved) << end.err;
    }
  }
  std::string client_file(const std::string& name) const {
    return client_folder(0) + "/state/" + name;
  }
  std::string plans_file() const {
    for (const auto& entry : fs::directory_iterator(client_folder(0) + "/state")) {
      if (entry.path().filename().string().starts_with("plans-")) return entry.path().string();
    }
    return {};
  }
  // `party` ends at once, names the file and a remedy, and has left it as it was.
  void expect_stopped_by(const std::string& file, const std::string& damage,
                         const std::function<std::unique_ptr<Program>()>& party) {
    const std::string before = contents_of(file);
    const Outcome outcome = party()->wait();
    EXPECT_EQ(outcome.status, kFailed) << file << damage << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(fs::path(file).filename().string())) << damage;
    EXPECT_THAT(outcome.err, HasSubstr("put back a copy of it")) << file << damage;
    EXPECT_EQ(contents_of(file), before) << file << damage;
  }
  std::string said_;  // by the server, the last time
};

TEST_F(DamagedFiles, RecordsOfThePastAreSetAsideAndTheRunGoesOn) {
  train();
  for (const auto& [name, damage] : kDamages) {
    for (const std::string file : {"events.jsonl", "metrics.csv", "job.toml"}) {
      const auto at = path("deploy/server/run/" + file);
      put(at, damage(contents_of(at)));
    }
    for (const std::string file : {"rows.index", "models", "coded-rows-0"}) {
      put(client_file(file), damage(contents_of(client_file(file))));
    }
    const auto groups = path("deploy/server/groups.ckpt");  // its clients remember them, too
    if (name == "noise") put(groups, damage(contents_of(groups)));
    train();
    ASSERT_FALSE(HasFailure()) << name;
    EXPECT_THAT(said_, HasSubstr("the server is back")) << name;
    if (name == "cut") continue;  // in the middle of a line: just a torn one
    for (const std::string file : {"events.jsonl", "metrics.csv", "job.toml"}) {
      EXPECT_THAT(said_, HasSubstr("run/" + file + " is damaged")) << name;
      EXPECT_TRUE(fs::exists(path("deploy/server/run/" + file + ".damaged-1"))) << name;
    }
  }
  EXPECT_TRUE(fs::exists(path("deploy/server/groups.ckpt.damaged-1"))) << said_;
  fs::remove_all(path("deploy/server/run"));
  train();
}

TEST_F(DamagedFiles, WhatTrainingNeedsStopsItsPartyWithTheFilesNameAndARemedy) {
  train();
  const auto server = [&] { return start_server(); };
  const auto client = [&] { return start_client(0); };
  for (const auto& [name, damage] : kDamages) {
    for (const std::string file : {"run.ckpt", "server.ckpt", "central.ckpt"}) {
      const auto at = path("deploy/server/state/" + file);
      const std::string whole = contents_of(at);
      put(at, damage(whole));
      expect_stopped_by(at, name, server);
      put(at, whole);
    }
    for (const std::string file : {"client.ckpt", "terms"}) {
      const std::string whole = contents_of(client_file(file));
      put(client_file(file), damage(whole));
      expect_stopped_by(client_file(file), name, client);
      put(client_file(file), whole);
    }
  }
  train();  // with the copies put back
}

TEST_F(DamagedFiles, LeftoversOfKilledWritersAreGoneAfterTheNextStart) {
  const std::string dead = fmt::format(".partial-{}-0", ended_process());
  const std::string living = fmt::format(".partial-{}-0", ::getpid());
  fs::create_directories(path("deploy/server/state"));
  fs::create_directories(client_folder(0) + "/state");
  const std::vector<std::string> files{path("deploy/server/state/server.ckpt"),
                                       client_file("client.ckpt")};
  for (const auto& file : files) {
    put(file + dead, "half");
    put(file + living, "half");
  }
  {
    const auto server = start_server();
    const auto client = start_client(0);
    ASSERT_TRUE(server->wait_until([&] {
      return said_by("server").find("client-1 connected") != std::string::npos;
    })) << said_by("server");
  }
  for (const auto& file : files) {
    EXPECT_FALSE(fs::exists(file + dead)) << file;
    EXPECT_TRUE(fs::exists(file + living)) << file;
  }
}

TEST_F(DamagedFiles, ResumingATrainingRemovesTheLeftoversOfAKilledOne) {
  expect_done(words("train --data synthetic --set data.rows=300 --set train.epochs=1 --out run "
                    "--no-report") +
              kTiny);
  const auto file = path(fmt::format("run/checkpoint/latest.ckpt.partial-{}-3", ended_process()));
  put(file, "half");
  fedvs(words("train --resume run"));  // finished before, and says so
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace fedvs::cli
