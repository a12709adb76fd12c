// A user's own CSV from one command to the run folder.
#include <nlohmann/json.hpp>

#include "fedvs/run/metrics_log.h"
#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kEpochs = 6, kRows = 300;

class Train : public Cli {
 protected:
  Train() { write("mail.csv", mail_csv(kRows)); }

  Outcome train(const Arguments& more) {
    return fedvs(words("train --data mail.csv --label kind --clients 5") +
                 Arguments{"--epochs", std::to_string(kEpochs)} + kTiny + more);
  }
  json trained(const Arguments& more) {
    const Outcome outcome = train(Arguments{"--json"} + more);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    return json::parse(outcome.out);
  }
};

TEST_F(Train, JsonSummaryHasEveryPromisedKey) {
  // Given five clients and T = 1, when K is left to the program,
  const json summary = trained({"--out", "run"});
  // Then it is 1, so R = 3; and the mail is told apart better than by guessing.
  EXPECT_EQ(summary.at("K"), 1);
  EXPECT_EQ(summary.at("T"), 1);
  EXPECT_EQ(summary.at("R"), 3);
  EXPECT_EQ(summary.at("ring"), "rns4");
  EXPECT_EQ(summary.at("run"), "run");
  EXPECT_GT(summary.at("test_accuracy"), summary.at("majority"));
  EXPECT_GE(summary.at("best_test_accuracy"), summary.at("test_accuracy"));
  EXPECT_GT(summary.at("rounds"), 0);
  for (const char* key : {"virtual_seconds", "wall_seconds", "bytes_per_client"}) {
    EXPECT_GT(summary.at(key), 0) << key;
    EXPECT_LT(summary.at(key), 1e12) << key;
  }
}

TEST_F(Train, JobFileOfTheRunIsCompleteAndGivesItselfBack) {
  trained({"--out", "run"});
  const std::string job = text("run/job.toml");
  EXPECT_THAT(job, AllOf(HasSubstr("K = 1 "), HasSubstr("clients = 5 "), HasSubstr("kind")));
  EXPECT_THAT(job, testing::Not(HasSubstr("l_x = \"auto\"")));
  EXPECT_EQ(fedvs({"train", "--job", "run/job.toml", "--print-job"}).out, job);
}

TEST_F(Train, EventsAreOneJsonObjectPerRound) {
  const json summary = trained({"--out", "run"});
  int rounds = 0, tests = 0;
  double last = 0;
  for (const auto& line : lines_of(text("run/events.jsonl"))) {
    const json event = json::parse(line);
    tests += event.at("event") == "test" ? 1 : 0;
    if (event.at("event") != "round") continue;
    EXPECT_EQ(event.at("round"), ++rounds);
    EXPECT_GE(event.at("answered").size(), 3u);
    EXPECT_EQ(event.at("answered").size() + event.at("late").size(), 5u);
    EXPECT_GE(event.at("time"), last);
    EXPECT_GT(event.at("loss"), 0);
    last = event.at("time");
  }
  EXPECT_EQ(rounds, summary.at("rounds"));
  EXPECT_EQ(tests, kEpochs);
}

TEST_F(Train, MetricsHaveOneRowPerEpochAndEndWithTheSummarysAccuracy) {
  const json summary = trained({"--out", "run"});
  const auto rows = run::read_metrics(folder_ / "run/metrics.csv").value();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kEpochs));
  EXPECT_EQ(rows.back().test_accuracy, summary.at("test_accuracy"));
  EXPECT_LT(rows.back().train_loss, rows.front().train_loss);
}

TEST_F(Train, TheSameSeedGivesTheSameEventsAndAnotherSeedOthers) {
  trained({"--out", "one", "--seed", "5"});
  trained({"--out", "two", "--seed", "5", "--threads", "1"});
  trained({"--out", "other", "--seed", "6"});
  EXPECT_EQ(text("one/events.jsonl"), text("two/events.jsonl"));
  EXPECT_NE(text("one/events.jsonl"), text("other/events.jsonl"));
}

TEST_F(Train, TheRunsOwnJobFileRepeatsTheRun) {
  trained({"--out", "one", "--seed", "5"});
  EXPECT_EQ(fedvs({"train", "--job", "one/job.toml", "--out", "two"}).status, 0);
  EXPECT_EQ(text("one/events.jsonl"), text("two/events.jsonl"));
}

TEST_F(Train, TextSummaryNamesTheRunAndWhatTheServerSaw) {
  const Outcome outcome = train({"--out", "run"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");  // stdout is for results that were asked for
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("test accuracy"), HasSubstr("virtual"),
                                 HasSubstr("the server saw"), HasSubstr("run         run")));
}

TEST_F(Train, ListsOfColumnsCategoriesAndMissingCellsWork) {
  std::string csv = "id,colour,size,age,kind\n";
  for (int r = 0; r < 200; ++r) {
    const bool good = r % 2 == 0;
    csv += std::to_string(r) + (good ? ",red," : ",blue,") +
           (r % 10 == 0 ? "" : std::to_string(r % 7)) + "," + std::to_string(r % 5) +
           (good ? ",good\n" : ",bad\n");
  }
  write("shop.csv", csv);
  const Outcome outcome =
      fedvs(words("train --data shop.csv --label kind --set data.columns=colour;size;age "
                  "--set data.categorical=[\"colour\"] --set data.missing=mean "
                  "--set data.validation_share=0.2 --epochs 20 --set train.lr=0.01 "
                  "--out run --json") +
            kTiny);
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  // The colour tells it all.
  EXPECT_EQ(json::parse(outcome.out).at("test_accuracy"), 1.0);
  EXPECT_THAT(text("run/events.jsonl"), HasSubstr("\"validation\""));
}

TEST_F(Train, FedvsPaperIsUnmaskedInM31) {
  const json summary = trained({"--method", "fedvs-paper", "--out", "run"});
  EXPECT_EQ(summary.at("ring"), "m31");
  EXPECT_THAT(text("run/job.toml"), HasSubstr("opening = \"paper\""));
}

}  // namespace
}  // namespace fedvs::cli
