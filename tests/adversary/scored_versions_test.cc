// A server does not tell its clients that the training has ended: they do not know which plan was
// the last, and go by the server's word for the models that rows are scored with. It names a model
// of one client that is older than its group's: where the same rows were evaluated in training, the
// difference is that client's alone.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "fedvs/party/client_state.h"
#include "fedvs/v1/client_state.pb.h"
#include "tests/party/rehearsal.h"

namespace fedvs {
namespace {

using party::Versions;
using party::testing::Rehearsal;
using ::testing::HasSubstr;

constexpr int kVictim = 3;

class ScoredVersions : public ::testing::Test {
 protected:
  // Given a training that all have finished.
  ScoredVersions() {
    run_.start();
    const auto over = run_.wait();
    EXPECT_TRUE(over.server) << over.server.error().message << run_.log().text();
  }
  const std::filesystem::path& folder(int n) const {
    return run_.trial().clients[static_cast<std::size_t>(n)];
  }
  party::TrainedClient not_told_of_the_end(int n) const {
    auto trained = party::load_trained_client(folder(n), Rehearsal::kClients).value();
    trained.versions.reset();
    return trained;
  }
  std::unique_ptr<party::ServerParty> server(const Versions& versions) {
    auto trained = party::load_trained_server(run_.trial().server).value();
    trained.versions = versions;
    const auto rows = run_.rows_of(0).rows;
    const data::PartyLabels labels{rows, std::vector<int>(rows.ids.size(), 0),
                                   trained.classes.labels};
    auto made = party::ServerParty::create(run_.server_folder(), labels,
                                           {.folder = run_.trial().server,
                                            .trained = std::move(trained),
                                            .listen = "127.0.0.1:0",
                                            .wait_for_clients = 10,
                                            .stop = [this] { return over_.load(); }},
                                           nobody_)
                    .value();
    EXPECT_TRUE(made->listen());
    return made;
  }
  Status client(int n, int port) const {
    auto party = party::ClientParty::create(run_.client_folder(n), run_.rows_of(n),
                                            {.folder = folder(n),
                                             .trained = not_told_of_the_end(n),
                                             .server = fmt::format("127.0.0.1:{}", port),
                                             .give_up_after = 10,
                                             .stop = [this] { return over_.load(); }});
    return party ? (*party)->run() : Status(party.error());
  }
  // Scores all rows with these versions. How many clients take part to the end.
  int score(const Versions& versions) {
    auto scoring = server(versions);
    std::vector<Status> ended(Rehearsal::kClients);
    std::vector<std::thread> threads;
    for (int n = 0; n < Rehearsal::kClients; ++n) {
      threads.emplace_back([&, n] {
        ended[static_cast<std::size_t>(n)] = client(n, scoring->port());
        if (!ended[static_cast<std::size_t>(n)]) over_ = true;
      });
    }
    if (!scoring->run()) over_ = true;  // else all are told, and end by themselves
    for (auto& thread : threads) thread.join();
    int good = 0;
    for (const auto& status : ended) {
      good += status ? 1 : 0;
      if (!status) said_ += status.error().message + "\n";
    }
    return good;
  }
  Versions last() const { return party::load_trained_server(run_.trial().server)->versions; }
  // A version that the victim has kept besides the one that was evaluated last.
  std::optional<std::uint64_t> another_of_the_victim() const {
    const auto trained = party::load_trained_client(folder(kVictim), Rehearsal::kClients).value();
    for (std::uint64_t step = 0; step < last()[kVictim]; ++step) {
      if (held(trained.model, step)) return step;
    }
    return std::nullopt;
  }
  static bool held(const std::string& model, std::uint64_t wanted) {
    v1::SavedModel saved;
    EXPECT_TRUE(saved.ParseFromString(model));
    return std::ranges::any_of(saved.rounded(),
                               [&](const auto& version) { return version.step() == wanted; });
  }

  Rehearsal run_{{"data.rows=200", "train.epochs=2", "code.K=1"}};
  protocol::Observer nobody_;
  std::atomic<bool> over_{false};
  mutable std::string said_;
};

TEST_F(ScoredVersions, AVersionOfOneClientAloneIsRefused) {
  const auto older = another_of_the_victim();
  ASSERT_TRUE(older) << "the victim has kept one version only";
  Versions singling = last();
  singling[kVictim] = *older;
  const int taken = score(singling);
  std::printf("clients that score with a model of one client apart: %d of %d\n", taken,
              Rehearsal::kClients);
  EXPECT_EQ(taken, 0);
  EXPECT_THAT(said_, HasSubstr("single clients out"));
}

TEST_F(ScoredVersions, ThoseOfTheLastEvaluationAreTaken) {
  EXPECT_EQ(score(last()), Rehearsal::kClients) << said_ << run_.log().text();
}

}  // namespace
}  // namespace fedvs
