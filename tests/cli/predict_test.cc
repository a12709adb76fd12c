// Scoring rows with a trained run.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fedvs/data/catalog.h"
#include "fedvs/data/prepared.h"
#include "fedvs/job/parse.h"
#include "tests/cli/cli_fixture.h"
#include "tests/data/temp_folder.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr int kRows = 300;

class Predict : public Cli {
 protected:
  void SetUp() override {
    write("mail.csv", mail_csv(kRows));
    const Outcome outcome =
        fedvs(words("train --data mail.csv --label kind --clients 5 --epochs 10 --out run --json") +
              kTiny);
    ASSERT_EQ(outcome.status, 0) << outcome.out;
    test_accuracy_ = json::parse(outcome.out).at("test_accuracy");
  }
  std::vector<std::vector<std::string>> scores(const std::string& file) {
    const Outcome outcome = fedvs({"predict", "run", "--data", file});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<std::vector<std::string>> rows;
    for (const auto& line : lines_of(outcome.out)) rows.push_back(cells_of(line));
    return rows;
  }
  // Of the CSV's rows, header excluded.
  double accuracy(const std::string& file) {
    const auto truth = lines_of(text(file));
    const auto scored = scores(file);
    EXPECT_EQ(scored.size(), truth.size());
    double right = 0;
    for (std::size_t i = 1; i < std::min(scored.size(), truth.size()); ++i) {
      right += cells_of(truth[i]).back() == scored[i][1] ? 1 : 0;
    }
    return right / static_cast<double>(truth.size() - 1);
  }
  // The rows of mail.csv that the run kept for testing, in its order.
  void write_test_rows(const std::string& file) {
    Job job = parse_job(text("run/job.toml"), "job.toml").value();
    job.data.path = (folder_ / "mail.csv").string();
    const auto split = data::split_rows(data::load(job.data).value(), job.data).value();
    const auto lines = lines_of(text("mail.csv"));
    std::string csv = lines[0] + "\n";
    for (const std::size_t row : split.rows[static_cast<int>(data::Part::kTest)]) {
      csv += lines[row + 1] + "\n";
    }
    write(file, csv);
  }
  double test_accuracy_ = 0;
};

TEST_F(Predict, ClassColumnsBearTheLabelsAndSumToOne) {
  const auto rows = scores("mail.csv");
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(kRows) + 1);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"row", "predicted", "p_ham", "p_spam"}));
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double ham = std::stod(rows[i][2]), spam = std::stod(rows[i][3]);
    EXPECT_NEAR(ham + spam, 1, 2e-6);
    EXPECT_EQ(rows[i][0], std::to_string(i));
    if (std::abs(ham - spam) < 1e-5) continue;  // a tie in what is printed
    EXPECT_EQ(rows[i][1], ham > spam ? "ham" : "spam");
  }
}

TEST_F(Predict, ItsOwnInputIsNotOverwrittenByWhateverName) {
  std::filesystem::create_symlink(folder_ / "mail.csv", folder_ / "link.csv");
  std::filesystem::create_hard_link(folder_ / "mail.csv", folder_ / "twin.csv");
  for (const std::string out :
       {"mail.csv", "./mail.csv", "run/../mail.csv", "link.csv", "twin.csv"}) {
    expect_refused({"predict", "run", "--data", "mail.csv", "--out", out}, 2,
                   {"--out", out, "that this command reads", "name another file"});
  }
  expect_refused({"predict", "run", "--data", "mail.csv", "--out", "run/checkpoint/latest.ckpt"}, 2,
                 {"that this command reads"});
  expect_refused({"predict", "run", "--data", "mail.csv", "--out", "run"}, 2, {"is a folder"});
  expect_refused({"report", "run", "--out", "run/metrics.csv"}, 2, {"that this command reads"});
  EXPECT_EQ(fedvs({"predict", "run", "--data", "mail.csv", "--out", "scores.csv"}).status, 0);
  EXPECT_EQ(fedvs({"predict", "run", "--data", "mail.csv", "--out", "scores.csv"}).status, 0);
}

TEST_F(Predict, TestRowsGiveTheRunsOwnTestAccuracy) {
  write_test_rows("test.csv");
  EXPECT_DOUBLE_EQ(accuracy("test.csv"), test_accuracy_);
}

TEST_F(Predict, AllRowsAreScoredAboutAsWellAsTheTestRows) {
  EXPECT_NEAR(accuracy("mail.csv"), test_accuracy_, 0.1);
}

TEST_F(Predict, ASingleRowScoresAsItDoesAmongOthers) {
  const auto lines = lines_of(text("mail.csv"));
  write("one.csv", lines[0] + "\n" + lines[5] + "\n");
  EXPECT_EQ(scores("one.csv")[1][1], scores("mail.csv")[5][1]);
}

TEST_F(Predict, ColumnsMayStandInAnyOrderAndTheLabelMayBeAbsent) {
  std::string csv = "c6,c5,c4,c3,c2,c1\n";
  const auto lines = lines_of(text("mail.csv"));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto c = cells_of(lines[i]);
    csv += c[5] + "," + c[4] + "," + c[3] + "," + c[2] + "," + c[1] + "," + c[0] + "\n";
  }
  write("turned.csv", csv);
  EXPECT_EQ(scores("turned.csv"), scores("mail.csv"));
}

TEST_F(Predict, OutWritesTheSameToAFile) {
  const Outcome to_file = fedvs({"predict", "run", "--data", "mail.csv", "--out", "scores.csv"});
  EXPECT_EQ(to_file.status, 0);
  EXPECT_EQ(text("scores.csv"), fedvs({"predict", "run", "--data", "mail.csv"}).out);
}

TEST_F(Predict, JsonHasTheSamePredictions) {
  const Outcome outcome = fedvs({"predict", "run", "--data", "mail.csv", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("classes"), (json{"ham", "spam"}));
  const auto rows = scores("mail.csv");
  ASSERT_EQ(answer.at("rows").size() + 1, rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(answer.at("rows")[i - 1].at("predicted"), rows[i][1]);
  }
}

TEST_F(Predict, AMissingColumnIsNamedAndNothingIsWritten) {
  write("new.csv", "c1,c2,c3,c4,c5\n1,2,3,4,5\n");
  expect_refused({"predict", "run", "--data", "new.csv", "--out", "scores.csv"}, 1,
                 {"new.csv", "\"c6\""});
}

TEST_F(Predict, BadCellsAndMissingFilesAreNamed) {
  write("new.csv", "c1,c2,c3,c4,c5,c6\n1,2,3,4,5,six\n");
  expect_refused({"predict", "run", "--data", "new.csv", "--out", "scores.csv"}, 1,
                 {"new.csv, line 2, column \"c6\"", "\"six\" is not a number"});
  expect_refused({"predict", "run", "--data", "nowhere.csv"}, 1, {"nowhere.csv"});
  expect_refused({"predict", "nowhere", "--data", "mail.csv"}, 1, {"nowhere is not a run folder"});
}

class PredictLabels : public Cli {};

TEST_F(PredictLabels, NamesWithCommasAndQuotesAreQuoted) {
  std::string csv = "a,b,c,kind\n";
  for (int r = 0; r < 40; ++r) {
    csv += fmt::format("{},{},{},{}\n", r % 2, r % 3, r % 5,
                       r % 2 == 0 ? "\"yes, please\"" : "\"\"\"no\"\"\"");
  }
  write("polite.csv", csv);
  ASSERT_EQ(
      fedvs(words("train --data polite.csv --label kind --clients 3 --epochs 1 --out run") + kTiny)
          .status,
      0);
  const Outcome outcome = fedvs({"predict", "run", "--data", "polite.csv"});
  EXPECT_THAT(outcome.out,
              testing::StartsWith("row,predicted,\"p_\"\"no\"\"\",\"p_yes, please\"\n"));
}

// Images of 28 x 28, dark for class 0 and bright for class 1, with some noise.
class PredictImages : public Cli {
 protected:
  void write_part(const std::string& part, std::uint32_t count) {
    std::mt19937 random(count);
    std::string pixels, labels;
    for (std::uint32_t i = 0; i < count; ++i) {
      const unsigned label = random() % 2;
      labels.push_back(static_cast<char>(label));
      for (int p = 0; p < 784; ++p) {
        pixels.push_back(static_cast<char>(label * 60 + random() % 180));
      }
    }
    const std::string start = "sets/fashion-mnist/" + part;
    write(start + "-images-idx3-ubyte.gz", data::idx_bytes({0x803, count, 28, 28}, pixels));
    write(start + "-labels-idx1-ubyte.gz", data::idx_bytes({0x801, count}, labels));
  }
};

TEST_F(PredictImages, TestImagesGiveTheRunsOwnTestAccuracy) {
  write_part("train", 80);
  write_part("t10k", 30);
  const Outcome outcome = fedvs(
      Arguments{"train", "--data", "fashion-mnist", "--epochs", "2", "--out", "run", "--json"} +
          kTiny,
      {{"FEDVS_DATA", (folder_ / "sets").string()}});
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  const Outcome scored =
      fedvs({"predict", "run", "--data", "sets/fashion-mnist/t10k-images-idx3-ubyte.gz", "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  const json answer = json::parse(scored.out);
  const std::string labels = text("sets/fashion-mnist/t10k-labels-idx1-ubyte.gz").substr(8);
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto truth = static_cast<std::size_t>(labels[i]);
    right += answer["rows"][i]["predicted"] == answer["classes"][truth] ? 1 : 0;
  }
  EXPECT_DOUBLE_EQ(right / 30, json::parse(outcome.out).at("test_accuracy"));
}

}  // namespace
}  // namespace fedvs::cli
