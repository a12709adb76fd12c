// Fewer clients than R = 5, as processes: the server says whom it lacks and waits as it was told;
// the run goes on when they return, and ends, saved, when they do not.
#include <csignal>

#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using testing::HasSubstr;

constexpr int kStoppedAndSaved = 3, kTooFewAnswers = 4;

class BelowThreshold : public Parties {
 protected:
  void SetUp() override {
    make_parties(
        "[code]\nK = 2\nT = 1\n[train]\nepochs = 1000\nbatch_size = 20\n"
        "[protocol]\ndead_after = 2\n");
  }
  std::unique_ptr<Program> start_server(const std::string& wait) {
    return start("server", {"server", "--dir", path("deploy/server"), "--labels",
                            path("parties/labels.csv"), "--wait", wait});
  }
  std::size_t rounds() const {
    const std::string events = text("deploy/server/run/events.jsonl");
    return static_cast<std::size_t>(std::count(events.begin(), events.end(), '\n'));
  }
  bool says(Program& server, const std::string& what) {
    return server.wait_until([&] { return said_by("server").find(what) != std::string::npos; });
  }
  // Two of six die at once, in the middle of training; the server names them.
  void lose_two(Program& server, Programs& clients) {
    ASSERT_TRUE(server.wait_until([&] { return rounds() > 20; })) << said_by("server");
    clients[4]->send(SIGKILL);
    clients[5]->send(SIGKILL);
    ASSERT_TRUE(says(server, "no sign of clients client-5 client-6")) << said_by("server");
    EXPECT_THAT(said_by("server"), HasSubstr("4 clients are left and R = 5 are needed"));
  }
};

TEST_F(BelowThreshold, GoesOnWhenTheyReturn) {
  const auto server = start_server("300");
  Programs clients = start_clients();
  lose_two(*server, clients);
  ASSERT_FALSE(HasFailure());
  EXPECT_THAT(said_by("server"), HasSubstr("waiting 300 s for them"));
  const std::size_t then = rounds();
  clients[4] = start_client(4);
  EXPECT_TRUE(server->wait_until([&] { return rounds() > then + 20; })) << said_by("server");
  clients[5] = start_client(5);
  EXPECT_TRUE(says(*server, "client-6 is back")) << said_by("server");
  server->send(SIGTERM);
  const Outcome ended = server->wait();
  EXPECT_EQ(ended.status, kStoppedAndSaved) << ended.err;
  for (const auto& client : clients) {
    EXPECT_EQ(client->wait().status, kStoppedAndSaved);
  }
}

TEST_F(BelowThreshold, EndsSavedWhenTheyStayAwayAndGoesOnFromThere) {
  auto server = start_server("3");
  Programs clients = start_clients();
  lose_two(*server, clients);
  ASSERT_FALSE(HasFailure());
  const Outcome ended = server->wait();
  EXPECT_EQ(ended.status, kTooFewAnswers) << ended.err;
  EXPECT_THAT(lines_of(ended.err).back(), HasSubstr("client-5 client-6"));
  for (std::size_t n = 0; n < 4; ++n) {
    const Outcome client = clients[n]->wait();
    EXPECT_EQ(client.status, kTooFewAnswers) << client.err;
    EXPECT_THAT(client.err, HasSubstr("client-5 client-6"));
  }
  // Started again, all of them go on where it ended.
  const std::size_t then = rounds();
  server = start_server("300");
  clients.clear();
  clients = start_clients();
  EXPECT_TRUE(server->wait_until([&] { return rounds() > then + 20; })) << said_by("server");
  EXPECT_THAT(said_by("server"), HasSubstr("the server is back, in round"));
  EXPECT_THAT(said_by("server"), testing::Not(HasSubstr("in round 0")));
  server->send(SIGTERM);
  EXPECT_EQ(server->wait().status, kStoppedAndSaved);
}

TEST_F(BelowThreshold, AClientThatNeverComesIsNobodyElsesRefusal) {
  // Given a server that waits three seconds, and five of six clients that give up after two more,
  auto server = start_server("3");
  Programs clients;
  for (std::size_t n = 0; n + 1 < kClients; ++n) {
    clients.push_back(start_client(n, "parties", {"--give-up", "2"}));
  }
  // Then the time-out is status 4 everywhere, which services start again, with the reason.
  EXPECT_EQ(server->wait().status, kTooFewAnswers);
  for (auto& client : clients) {
    const Outcome ended = client->wait();
    EXPECT_EQ(ended.status, kTooFewAnswers) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("have not come: client-6"));
  }
}

TEST_F(BelowThreshold, ThoseWhoWaitedGoOnWhenTheServerAndTheMissingCome) {
  auto server = start_server("3");
  Programs clients;
  for (std::size_t n = 0; n + 1 < kClients; ++n) clients.push_back(start_client(n));
  EXPECT_EQ(server->wait().status, kTooFewAnswers);
  server = start_server("300");
  clients.push_back(start_client(kClients - 1));
  EXPECT_TRUE(server->wait_until([&] { return rounds() > 20; })) << said_by("server");
  // And everybody has heard of the exposure.
  EXPECT_THAT(said_by("server"), HasSubstr("Below the limit is necessary, not sufficient"));
  EXPECT_THAT(said_by("client-1"), HasSubstr("Below the limit is necessary, not sufficient"));
  server->send(SIGTERM);
  EXPECT_EQ(server->wait().status, kStoppedAndSaved);
}

}  // namespace
}  // namespace fedvs::cli
