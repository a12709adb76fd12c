// A run that is resumed notices that its data is not what it was begun with.
#include <csignal>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

constexpr int kStoppedAndSaved = 3, kRefused = 5;
constexpr int kRows = 3000;

class ChangedData : public Cli {
 protected:
  void SetUp() override {
    csv_ = "id," + lines_of(mail_csv(1))[0] + "\n";
    const auto lines = lines_of(mail_csv(kRows));
    for (std::size_t i = 1; i < lines.size(); ++i)
      csv_ += std::to_string(i) + "," + lines[i] + "\n";
    write("mail.csv", csv_);
    const Arguments train = words(
        "train --data mail.csv --label kind --clients 3 --epochs 1000 --set data.ignore=id "
        "--out run");
    Program program(folder_.path(), train + kTiny);
    program.wait_until([&] { return text("run/events.jsonl").size() > 1000; });
    program.send(SIGINT);
    ASSERT_EQ(program.wait().status, kStoppedAndSaved);
  }
  // Column c of every row through `change`.
  void rewrite(std::size_t c, const std::function<std::string(const std::string&)>& change) {
    std::string text;
    bool header = true;
    for (const auto& line : lines_of(csv_)) {
      auto cells = cells_of(line);
      if (!std::exchange(header, false)) cells[c] = change(cells[c]);
      for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + cells[i];
      text += "\n";
    }
    write("mail.csv", text);
  }
  void expect_resume_refused(const std::vector<std::string>& says) {
    expect_refused({"train", "--resume", "run"}, kRefused, says);
  }
  std::string csv_;
};

TEST_F(ChangedData, IsRefusedWithWhatChangedAndTheRemedy) {
  rewrite(7, [](const auto& kind) { return std::string(kind == "ham" ? "spam" : "ham"); });
  expect_resume_refused({"begun with other data", "the labels changed", "Put the data",
                         "fedvs train --job run/job.toml"});
  rewrite(4, [](const auto& cell) { return cell + ".5"; });  // c4: of client 2, which has c3 and c4
  expect_resume_refused({"the features of client 2 (columns c3, c4) changed"});
  rewrite(0, [](const auto& id) { return "x" + id; });
  expect_resume_refused({"the row ids changed"});
  write("mail.csv", csv_ + "9999,1,2,3,4,5,6,ham\n");
  expect_resume_refused({"the number of rows (3000, now 3001)", "the labels"});
}

TEST_F(ChangedData, TheSameDataGoesOn) {
  rewrite(1, [](const auto& cell) { return cell + ".0"; });  // the same numbers in other letters
  Program program(folder_.path(), {"train", "--resume", "run"});
  const std::size_t before = text("run/events.jsonl").size();
  EXPECT_TRUE(program.wait_until([&] { return text("run/events.jsonl").size() > before + 1000; }));
  program.send(SIGINT);
  EXPECT_EQ(program.wait().status, kStoppedAndSaved);
}

}  // namespace
}  // namespace fedvs::cli
