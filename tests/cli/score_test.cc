// New rows scored over the network by a finished networked training. Clients are the real program;
// so is the server that scores. The one that trains runs in this process, to be asked what it
// predicted in its last evaluation.
#include <csignal>
#include <ctime>
#include <functional>
#include <map>
#include <optional>

#include "fedvs/party/server_party.h"
#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using testing::HasSubstr;

std::vector<std::string> turned(std::vector<std::string> cells) {
  std::reverse(cells.begin() + 1, cells.end());  // but the id
  return cells;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) line += fmt::format("{}{}", line.empty() ? "" : ",", cell);
  return line + "\n";
}

class InRound final : public protocol::Observer {
 public:
  InRound(std::uint64_t round, std::function<void()> act) : round_(round), act_(std::move(act)) {}
  void on_round(const protocol::RoundRecord& record) override {
    if (record.plan->round == round_) act_();
  }

 private:
  std::uint64_t round_;
  std::function<void()> act_;
};

class Score : public Parties {
 protected:
  static constexpr std::uint64_t kMiddle = 40;  // of some seventy rounds
  void SetUp() override { make_parties("[train]\nepochs = 1\nbatch_size = 10\n"); }

  // Class probabilities by row id, of the last evaluation of the test rows.
  using ById = std::map<std::string, std::vector<double>>;
  // Client `victim` is killed in the middle, and stays away.
  ById train(std::optional<std::size_t> victim = {}) {
    const auto clients = start_clients();
    auto identity =
        deploy::load_server_folder(folder_ / "deploy/server", std::time(nullptr)).value();
    const auto labels = data::read_label_csv(path("parties/labels.csv"), {}).value();
    const auto split = data::split_party(labels.rows, identity.job.data).value();
    InRound at{kMiddle, [&] {
                 if (victim) clients[*victim]->send(SIGKILL);
               }};
    auto server =
        party::ServerParty::create(std::move(identity), labels,
                                   {.folder = folder_ / "deploy/server", .listen = ""}, at)
            .value();
    EXPECT_TRUE(server->listen());
    const Status ended = server->run();
    EXPECT_TRUE(ended) << ended.error().message;
    for (std::size_t n = 0; n < kClients; ++n) {
      const Outcome outcome = clients[n]->wait();
      EXPECT_EQ(outcome.status, n == victim ? 128 + SIGKILL : 0) << outcome.err;
    }
    ById predicted;
    const auto& scores = server->scores();
    const auto& rows = split.rows[static_cast<int>(data::Part::kTest)];
    const std::size_t classes = scores.size() / rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto first = scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
      auto& probabilities = predicted[labels.rows.ids[rows[i]]];
      probabilities = {first, first + static_cast<std::ptrdiff_t>(classes)};
      // Rows of an abandoned plan are not opened again with other models: they have no score.
      if (std::ranges::count(probabilities, 0.0f) == std::ssize(probabilities)) probabilities = {};
    }
    return predicted;
  }

  // Of every party's file, the rows that are in `kept`, from the last one on; and the columns of
  // the second client the other way round.
  void write_new_rows(const ById& kept) {
    for (std::size_t n = 0; n < kClients; ++n) {
      const std::string name = fmt::format("client-{}.csv", n + 1);
      write_some("parties/" + name, "new/" + name, kept, n == 1);
    }
    write_some("parties/labels.csv", "new/labels.csv", kept, false);
  }
  void write_some(const std::string& from, const std::string& to, const ById& kept, bool turn) {
    const auto lines = lines_of(text(from));
    const auto shown = [&](const std::string& line) {
      return line_of(turn ? turned(cells_of(line)) : cells_of(line));
    };
    std::string csv = shown(lines[0]);
    for (std::size_t i = lines.size() - 1; i > 0; --i) {
      if (kept.contains(cells_of(lines[i])[0])) csv += shown(lines[i]);
    }
    write(to, csv);
  }

  Arguments scoring_server(const std::string& out) const {
    return {"server", "--dir",  path("deploy/server"), "--predict", path("new/labels.csv"),
            "--out",  path(out)};
  }
  bool scoring_began() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "deploy/server")) {
      const bool scores = entry.path().filename().string().starts_with("state-predict-");
      if (scores && std::filesystem::exists(entry.path() / "server.ckpt")) return true;
    }
    return false;
  }
  void expect_scores(const std::string& file, const ById& expected) {
    const auto lines = lines_of(text(file));
    ASSERT_EQ(lines.size(), expected.size() + 1);
    EXPECT_THAT(lines[0], testing::StartsWith("id,predicted,p_0,p_1"));
    std::size_t compared = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto cells = cells_of(lines[i]);
      const auto& probabilities = expected.at(cells[0]);
      if (probabilities.empty()) continue;
      ++compared;
      ASSERT_EQ(cells.size(), probabilities.size() + 2);
      for (std::size_t c = 0; c < probabilities.size(); ++c) {
        EXPECT_NEAR(std::stod(cells[c + 2]), probabilities[c], 1e-5) << lines[i];
      }
      const auto best = std::ranges::max_element(probabilities) - probabilities.begin();
      EXPECT_EQ(cells[1], std::to_string(best)) << lines[i];
    }
    EXPECT_GT(compared, expected.size() / 2);
  }
};

TEST_F(Score, TestRowsScoreAsInTrainingThoughAClientDiesAfterSharingThem) {
  const ById expected = train();
  ASSERT_FALSE(HasFailure());
  write_new_rows(expected);
  const auto server = start("server", scoring_server("scores.csv"));
  const auto clients = start_clients("new", {"--predict"});
  EXPECT_TRUE(server->wait_until([&] { return scoring_began(); }));
  clients.back()->send(SIGKILL);
  const Outcome scored = server->wait();
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.err, HasSubstr(fmt::format("{} rows scored", expected.size())));
  EXPECT_THAT(scored.err, HasSubstr("accuracy"));
  for (std::size_t n = 0; n + 1 < kClients; ++n) {
    const Outcome outcome = clients[n]->wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_EQ(clients.back()->wait().status, 128 + SIGKILL) << "it was to die before the end";
  expect_scores("scores.csv", expected);

  // Asked again, the server needs nobody, and a client that has done its part does not wait.
  const Outcome again = start("server", scoring_server("again.csv"))->wait();
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(text("again.csv"), text("scores.csv"));
  const Outcome client = start_client(0, "new", {"--predict"})->wait();
  EXPECT_EQ(client.status, 0) << client.err;
}

TEST_F(Score, AClientThatWasKilledAndAwayAtTheEndFetchesItsModelAndAllScoreAsInTraining) {
  constexpr std::size_t kVictim = 2;
  const ById expected = train(kVictim);
  ASSERT_FALSE(HasFailure());
  // The finished server, started again, says whom it waits for, and serves it.
  const Arguments server_again = {"server", "--dir", path("deploy/server"), "--labels",
                                  path("parties/labels.csv")};
  const auto server = start("server", server_again);
  EXPECT_TRUE(server->wait_until([&] {
    return said_by("server").find("client-3 has not come for the last model") != std::string::npos;
  }));
  const Outcome client = start_client(kVictim)->wait();
  EXPECT_EQ(client.status, 0) << client.err;
  EXPECT_THAT(client.err, HasSubstr("the run has finished; fetched what was missing"));
  const Outcome served = server->wait();
  EXPECT_EQ(served.status, 0) << served.err;
  const Outcome nothing_left = start("server", server_again)->wait();
  EXPECT_EQ(nothing_left.status, 0) << nothing_left.err;
  EXPECT_THAT(nothing_left.err, HasSubstr("this run was finished before; to train anew"));

  write_new_rows(expected);
  const auto scoring = start("server", scoring_server("scores.csv"));
  const auto clients = start_clients("new", {"--predict"});
  const Outcome scored = scoring->wait();
  ASSERT_EQ(scored.status, 0) << scored.err;
  expect_scores("scores.csv", expected);
  for (const auto& scorer : clients) {
    const Outcome outcome = scorer->wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST_F(Score, NothingIsScoredBeforeATrainingIsFinished) {
  write("ids.csv", "id\n1\n2\n");
  expect_refused(words("server --dir deploy/server --predict ids.csv"), 1,
                 {"trained nothing yet", "--labels"});
  expect_refused(words("client --dir deploy/client-1 --data parties/client-1.csv --predict"), 1,
                 {"trained nothing yet"});
  expect_refused(words("server --dir deploy/server"), 2, {"--labels to train", "--predict"});
  expect_refused(words("train --job job.toml"), 2, {"\"parties\" is for networked runs only"});
}

}  // namespace
}  // namespace fedvs::cli
