// train.patience: the run is that of its best epoch, not of its last.
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// Labels that have nothing to do with the columns: what is learned past the first epochs is noise.
std::string noise_csv(int rows) {
  std::mt19937 random(3);
  std::string csv = "c1,c2,c3,c4,c5,c6,kind\n";
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < 6; ++c) csv += std::to_string(static_cast<int>(random() % 2000)) + ",";
    csv += random() % 2 == 0 ? "spam\n" : "ham\n";
  }
  return csv;
}

class EarlyStopping : public Cli {
 protected:
  static constexpr const char* kTrain =
      "train --data noise.csv --label kind --clients 3 --json --set data.validation_share=0.3 "
      "--set model.width=4 --set model.hidden=[6,5] --set train.batch_size=20 --set train.lr=0.05 "
      "--set train.lr_client=0.5";
  json trained(const std::string& more) {
    const Outcome outcome = fedvs(words(kTrain) + words(more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
  }
  // Epochs evaluated, and the one with the lowest validation loss, by metrics.csv.
  std::pair<int, int> last_and_best(const std::string& run) {
    const auto lines = lines_of(text(run + "/metrics.csv"));
    const auto header = cells_of(lines[0]);
    const auto at =
        static_cast<std::size_t>(std::ranges::find(header, "validation_loss") - header.begin());
    int best = 0;
    double lowest = 1e9;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const double loss = std::stod(cells_of(lines[i])[at]);
      if (loss < lowest) {
        lowest = loss;
        best = std::stoi(cells_of(lines[i])[0]);
      }
    }
    return {std::stoi(cells_of(lines.back())[0]), best};
  }
};

TEST_F(EarlyStopping, KeepsReportsAndPredictsWithTheBestEpoch) {
  write("noise.csv", noise_csv(300));
  // Given a run that patience ends some epochs after its best,
  const json stopped = trained("--epochs 60 --set train.patience=4 --out stopped");
  const auto [last, best] = last_and_best("stopped");
  ASSERT_EQ(last, best + 4);
  EXPECT_EQ(stopped.at("kept_epoch"), best);
  // and one that is trained just so far,
  const json short_run = trained("--out short --epochs " + std::to_string(best));
  // then their metrics and their scores are the same.
  for (const char* key : {"test_accuracy", "test_loss", "test_f1"}) {
    EXPECT_EQ(stopped.at(key), short_run.at(key)) << key;
  }
  const auto scores = [&](const std::string& run) {
    return fedvs({"predict", run, "--data", "noise.csv"}).out;
  };
  EXPECT_EQ(scores("stopped"), scores("short"));
  EXPECT_THAT(text("stopped/report.html"),
              HasSubstr("Of the model that was kept, of epoch " + std::to_string(best)));
}

TEST_F(EarlyStopping, TheSummarySaysWhichEpochAndWithoutPatienceTheLastIsKept) {
  write("noise.csv", noise_csv(300));
  const Outcome outcome = fedvs(words("train --data noise.csv --label kind --clients 3 --set "
                                      "data.validation_share=0.3 --epochs 6 "
                                      "--set train.patience=2 --out run") +
                                kTiny);
  EXPECT_THAT(outcome.err + outcome.out,
              AllOf(HasSubstr("kept        the model of epoch"), HasSubstr("was the lowest")));
  EXPECT_FALSE(trained("--epochs 2 --out last").contains("kept_epoch"));
}

}  // namespace
}  // namespace fedvs::cli
