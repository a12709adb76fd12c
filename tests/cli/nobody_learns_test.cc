// Six clients and T = 2 are fewer than 2 (T + 2) = 8, so all are one group, and one client that is
// away keeps every client from learning. As processes: operators are told before and while it is
// so, and an epoch in which nobody learned is not taken for training unless the job says so.
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>

#include "fedvs/run/events.h"
#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kStoppedAndSaved = 3, kTooFewAnswers = 4;
constexpr std::size_t kAway = 5;  // client-6
constexpr const char* kWhy =
    "no client learns: the only group stands still without clients client-6";

class NobodyLearns : public Parties {
 protected:
  struct Epoch {
    std::size_t rounds = 0, idle = 0;
  };

  void make_one_group(const std::string& train) {
    make_parties("[code]\nK = 1\nT = 2\n[train]\nbatch_size = 10\n" + train);
  }
  std::unique_ptr<Program> start_server(const Arguments& more) {
    return start("server", Arguments{"server", "--dir", path("deploy/server"), "--labels",
                                     path("parties/labels.csv"), "--linger", "0"} +
                               more);
  }
  // Of the run folder's events, the trained rounds of every epoch.
  std::map<int, Epoch> epochs() const {
    std::map<int, Epoch> epochs;
    const auto events = run::read_events(path("deploy/server/run/events.jsonl"));
    if (!events) return epochs;  // not begun
    for (const auto& event : *events) {
      if (event.at("event") != "round") continue;
      auto& epoch = epochs[event.at("epoch").get<int>()];
      ++epoch.rounds;
      epoch.idle += event.at("idle").get<bool>() ? 1 : 0;
    }
    return epochs;
  }
  std::size_t rounds() const {
    std::size_t all = 0;
    for (const auto& [number, epoch] : epochs()) all += epoch.rounds;
    return all;
  }
  bool says(Program& server, const std::string& what) {
    return server.wait_until([&] { return said_by("server").find(what) != std::string::npos; });
  }
  json status() {
    const Outcome outcome = fedvs({"status", "--json", "--dir", path("deploy/server")});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json::parse(outcome.out) : json();
  }
  // After the warm-up, in an epoch of some eighty rounds.
  void lose_one(Program& server, Programs& clients) {
    ASSERT_TRUE(server.wait_until([&] { return rounds() > 20; })) << said_by("server");
    clients[kAway]->send(SIGKILL);
    ASSERT_TRUE(says(server, kWhy)) << said_by("server");
  }
  void expect_all_end(Programs& clients, int status) {
    for (std::size_t n = 0; n < clients.size(); ++n) {
      const Outcome client = clients[n]->wait();
      EXPECT_EQ(client.status, n == kAway ? 128 + SIGKILL : status) << client.err;
    }
  }
};

TEST_F(NobodyLearns, IsSaidInLogAndStatusAndTheNextEpochWaitsForWhoIsAway) {
  make_one_group("epochs = 1000\n");
  const auto server = start_server({"--wait", "300"});
  Programs clients = start_clients();
  lose_one(*server, clients);
  ASSERT_FALSE(HasFailure());
  // The epoch under way ends, and no other begins.
  ASSERT_TRUE(says(*server, "; waiting 300 s for them before the next epoch")) << said_by("server");
  const auto then = epochs();
  const Outcome table = fedvs({"status", "--dir", path("deploy/server")});
  EXPECT_THAT(table.out, HasSubstr(std::string("\n! ") + kWhy)) << table.err;
  const json waiting = status();
  EXPECT_EQ(waiting.at("nobody_learns"), kWhy);
  EXPECT_EQ(waiting.at("idle_epochs"), 0);
  EXPECT_EQ(waiting.at("idle_rounds"), then.rbegin()->second.idle);
  EXPECT_EQ(waiting.at("round"), rounds());
  // When it is back, everybody learns again.
  clients[kAway] = start_client(kAway);
  EXPECT_TRUE(server->wait_until([&] {
    return epochs().rbegin()->second.rounds > 20 && epochs().size() > then.size();
  })) << said_by("server");
  EXPECT_EQ(status().at("nobody_learns"), "");
  const auto next = epochs().at(then.rbegin()->first + 1);
  EXPECT_EQ(next.idle, 0u);
  server->send(SIGTERM);
  EXPECT_EQ(server->wait().status, kStoppedAndSaved);
}

TEST_F(NobodyLearns, ARunThatEndsForItIsNotTrainedAndTrainsEveryEpochWhenAllAreBack) {
  make_one_group("epochs = 3\n");
  auto server = start_server({"--wait", "2"});
  Programs clients = start_clients();
  lose_one(*server, clients);
  ASSERT_FALSE(HasFailure());
  const Outcome ended = server->wait();
  EXPECT_EQ(ended.status, kTooFewAnswers) << ended.err;
  EXPECT_THAT(lines_of(ended.err).back(),
              AllOf(HasSubstr(kWhy), HasSubstr("start them again and then the server"),
                    HasSubstr("train.idle_epochs = \"count\"")));
  expect_all_end(clients, kTooFewAnswers);
  EXPECT_LT(epochs().size(), 3u);
  // Started again with all clients, none of the three epochs is left out.
  server = start_server({"--wait", "300"});
  clients.clear();
  clients = start_clients();
  const Outcome complete = server->wait();
  EXPECT_EQ(complete.status, 0) << complete.err;
  for (auto& client : clients) EXPECT_EQ(client->wait().status, 0);
  const auto trained = epochs();
  ASSERT_EQ(trained.size(), 3u);
  for (const auto& [number, epoch] : trained) {
    EXPECT_LT(epoch.idle, epoch.rounds) << number;
  }
  EXPECT_EQ(lines_of(text("deploy/server/run/metrics.csv")).size(), 1u + 3u);
}

TEST_F(NobodyLearns, AJobThatCountsSuchEpochsEndsAndSaysHowManyTheyWere) {
  make_one_group("epochs = 4\nidle_epochs = \"count\"\n");
  const auto server = start_server({"--wait", "300"});
  Programs clients = start_clients();
  lose_one(*server, clients);
  ASSERT_FALSE(HasFailure());
  const Outcome ended = server->wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  expect_all_end(clients, 0);
  std::size_t idle_rounds = 0, idle_epochs = 0;
  for (const auto& [number, epoch] : epochs()) {
    idle_rounds += epoch.idle;
    idle_epochs += epoch.idle == epoch.rounds ? 1 : 0;
  }
  EXPECT_EQ(epochs().size(), 4u);
  EXPECT_GT(idle_epochs, 0u);
  EXPECT_THAT(ended.err, HasSubstr(fmt::format("! no client learned in {} of {} rounds ({} of 4 "
                                               "epochs from end to end)",
                                               idle_rounds, rounds(), idle_epochs)));
}

TEST_F(NobodyLearns, IsForetoldByPlanAndInit) {
  make_one_group("epochs = 3\n");
  const auto foretold = AllOf(HasSubstr("6 clients are fewer than 2 (T + 2) = 8"),
                              HasSubstr("while a single client is away, NO client learns"));
  EXPECT_THAT(fedvs(words("plan --job job.toml --rows 1200 --columns 4,4,4,4,4,4 --classes 2")).out,
              foretold);
  EXPECT_THAT(fedvs(words("init job.toml --dir invited --server-address lab.example.org:7443 "
                          "--client a b c d e f"))
                  .out,
              foretold);
  // With T = 1 the six are two groups, of which one goes on without the other.
  EXPECT_THAT(fedvs(words("plan --job job.toml --set code.T=1 --rows 1200 "
                          "--columns 4,4,4,4,4,4 --classes 2"))
                  .out,
              Not(HasSubstr("NO client learns")));
}

}  // namespace
}  // namespace fedvs::cli
