// A client that is killed and whose checkpoint, or whole state, is deleted before it is started
// again, as processes (K = T = 1, so R = 3 of six): the others go on and the run ends well. The
// client begins again with the gradients that the server has kept, or is told what remains.
#include <csignal>

#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRefused = 5;
constexpr double kDeadAfter = 3;                      // seconds
constexpr double kLongestPause = kDeadAfter + 2;      // that one client may cause
constexpr std::size_t kWarmUp = 5, kManyRounds = 60;  // of rounds

class LostCheckpoint : public Parties {
 protected:
  void make_job(const std::string& protocol = {}) {
    make_parties(
        fmt::format("[code]\nK = 1\nT = 1\n[train]\nepochs = 40\nbatch_size = 60\n[protocol]\n"
                    "dead_after = {}\n{}",
                    kDeadAfter, protocol));
    server_ = start("server", {"server", "--dir", path("deploy/server"), "--labels",
                               path("parties/labels.csv"), "--wait", "60"});
    clients_ = start_clients();
  }
  std::size_t rounds() const {
    const std::string events = text("deploy/server/run/events.jsonl");
    std::size_t count = 0;
    for (auto at = events.find(kRound); at != std::string::npos; at = events.find(kRound, at + 1))
      ++count;
    return count;
  }
  fs::path state_of(std::size_t n) const { return fs::path(client_folder(n)) / "state"; }

  // Once there are so many rounds, one client is killed, loses what `lose` deletes, and is started
  // again.
  void hurt(std::size_t n, std::size_t after, const std::function<void()>& lose) {
    ASSERT_TRUE(server_->wait_until([&] { return rounds() >= after; })) << said_by("server");
    clients_[n]->send(SIGKILL);
    EXPECT_EQ(clients_[n]->wait().status, 128 + SIGKILL);
    ASSERT_TRUE(fs::exists(state_of(n) / "terms")) << "it was to die in training";
    lose();
    clients_[n].reset();  // its files of output go with it
    clients_[n] = start_client(n);
  }
  // The run ends well for everybody else, and never stood still for long.
  void expect_good_end(std::size_t hurt, int status) {
    expect_no_long_pause();
    const Outcome ended = server_->wait();
    EXPECT_EQ(ended.status, 0) << ended.err;
    for (std::size_t n = 0; n < kClients; ++n) {
      const Outcome client = clients_[n]->wait();
      EXPECT_EQ(client.status, n == hurt ? status : 0) << client_name(n) << client.err;
    }
  }
  void expect_no_long_pause() {
    std::size_t seen = rounds();
    auto since = Clock::now();
    double longest = 0;
    server_->wait_until([&] {
      const std::size_t now = rounds();
      longest = std::max(longest, std::chrono::duration<double>(Clock::now() - since).count());
      if (now != seen) since = Clock::now();
      seen = now;
      return said_by("server").find("the run is complete") != std::string::npos ||
             said_by("server").find("all is saved") != std::string::npos;
    });
    EXPECT_LE(longest, kLongestPause) << said_by("server");
  }

  static constexpr std::string_view kRound = "\"event\":\"round\"";
  std::unique_ptr<Program> server_;
  Programs clients_;
};

TEST_F(LostCheckpoint, BeginsAgainWithTheGradientsThatTheServerHasKept) {
  make_job();
  hurt(0, kManyRounds, [&] { ASSERT_TRUE(fs::remove(state_of(0) / "client.ckpt")); });
  ASSERT_FALSE(HasFailure());
  expect_good_end(0, 0);
  EXPECT_THAT(said_by("client-1"),
              AllOf(HasSubstr("client.ckpt is missing"), HasSubstr("at step 0")));
}

TEST_F(LostCheckpoint, InTheFirstRoundsWhereEveryModelIsWaitedFor) {
  make_job("late_models = \"wait\"\n");
  hurt(2, kWarmUp / 2, [&] { fs::remove(state_of(2) / "client.ckpt"); });  // if there is one
  ASSERT_FALSE(HasFailure());
  expect_good_end(2, 0);
}

TEST_F(LostCheckpoint, TheWholeStateAndTheGroups) {
  make_job();
  hurt(5, kManyRounds, [&] {
    fs::remove_all(state_of(5));
    fs::remove(fs::path(client_folder(5)) / "groups.ckpt");
  });
  ASSERT_FALSE(HasFailure());
  expect_good_end(5, 0);
}

TEST_F(LostCheckpoint, IsToldWhereTheGradientsAreGoneAndTheOthersGoOn) {
  make_job("max_catch_up = 20\n");
  hurt(3, kManyRounds, [&] { ASSERT_TRUE(fs::remove(state_of(3) / "client.ckpt")); });
  ASSERT_FALSE(HasFailure());
  expect_good_end(3, kRefused);
  EXPECT_THAT(said_by("client-4"), AllOf(HasSubstr("it cannot catch up"),
                                         HasSubstr("a newer copy of its folder state")));
}

}  // namespace
}  // namespace fedvs::cli
