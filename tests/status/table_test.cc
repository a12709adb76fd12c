// The status for people.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "fedvs/status/text.h"
#include "tests/status/sample_status.h"

namespace fedvs::status {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The row of the table, not what is said about the client elsewhere.
std::string row_of(const std::string& name, const party::RunStatus& status = sample_status()) {
  for (const auto& line : lines_of(status_table(status))) {
    if (line.size() > 2 && line.substr(2).starts_with(name + " ")) return line;
  }
  return "no row for " + name;
}

TEST(StatusTable, TellsHowFarTheRowsAreAndWhichPairsAreBehind) {
  const auto lines = lines_of(status_table(sharing_status()));
  EXPECT_THAT(lines[2], AllOf(StartsWith("Rows: "), HasSubstr("97 % shared, about 90 s left"),
                              HasSubstr("furthest behind: bank-b has 25 % of clinic's, bank-b has "
                                        "50 % of lab's.")));
  EXPECT_THAT(row_of("bank-b", sharing_status()), HasSubstr("has 82 % of rows"));
  EXPECT_THAT(status_table(sample_status()), Not(HasSubstr("Rows:")));
}

TEST(StatusTable, BeginsWithHowFarTheRunIs) {
  const auto lines = lines_of(status_table(sample_status()));
  EXPECT_EQ(lines[0], "credit-card: training, epoch 2/5, round 341/1170");
  EXPECT_EQ(lines[1],
            "█████░░░░░░░░░░░░░░░ 29 %  loss 0.4312  test accuracy 85.10 %  12.5 rounds/s  "
            "running 28 s  left 66 s");
}

TEST(StatusTable, SaysWhoIsLateAndByHowMuch) {
  EXPECT_THAT(row_of("bank-b"), AllOf(StartsWith("  "), HasSubstr("connected"),
                                      HasSubstr("3.2 s ████████ "), HasSubstr("37/100")));
  EXPECT_THAT(row_of("clinic"), HasSubstr("0.8 s ██ "));
  EXPECT_THAT(row_of("bank-a"), AllOf(HasSubstr("0.0 s"), Not(HasSubstr("█"))));
}

TEST(StatusTable, MarksWhoIsMissing) {
  EXPECT_THAT(row_of("clinic"), AllOf(StartsWith("! "), HasSubstr("away for 12 s")));
  EXPECT_THAT(row_of("lab"), AllOf(StartsWith("! "), HasSubstr("dead for 2 m 10 s")));
  EXPECT_THAT(row_of("nobody"), AllOf(StartsWith("! "), HasSubstr("not seen yet")));
  EXPECT_THAT(row_of("shop"), AllOf(StartsWith("~ "), HasSubstr("catching up")));
  EXPECT_THAT(row_of("depot"), AllOf(StartsWith("~ "), HasSubstr("silent for 14 s")));
  EXPECT_THAT(row_of("bank-a"), AllOf(StartsWith("  "), HasSubstr("connected")));
  EXPECT_THAT(status_table(sample_status()),
              HasSubstr("Look at: clinic away for 12 s; lab dead for 2 m 10 s; shop catching up; "
                        "depot silent for 14 s; nobody not seen yet; bank-b last to upload, 3.2 s "
                        "after the first.\n"));
}

TEST(StatusTable, SaysHowManyMayBeMissing) {
  party::RunStatus status = sample_status();
  EXPECT_THAT(status_table(status), HasSubstr("4 of 7 clients connected; 5 open a round, so 2 may "
                                              "be late or missing.\n! The run stands still until "
                                              "1 more comes.\n"));
  status.uploads.needed = 4;
  status.uploads.may_be_late = 3;
  EXPECT_THAT(status_table(status), Not(HasSubstr("stands still")));
  status.uploads.needed = 5;
  status.phase = "done";
  EXPECT_THAT(status_table(status), Not(HasSubstr("stands still")));
}

TEST(StatusTable, NamesAHandfulAndCountsTheRest) {
  party::RunStatus status = sample_status();
  for (int i = 0; i < 100; ++i) {
    party::ClientStatus late;
    late.name = fmt::format("late-{}", i);
    status.clients.push_back(late);
  }
  EXPECT_THAT(status_table(status),
              AllOf(HasSubstr("late-2 not seen yet; 97 more below; bank-b last to upload")));
}

TEST(StatusTable, ColumnsStandBelowEachOther) {
  const auto lines = lines_of(status_table(sample_status()));
  const auto head = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("  client "); });
  ASSERT_NE(head, lines.end());
  const auto width = [](const std::string& text) {  // characters
    return std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
  };
  for (auto row = head + 1; !row->empty(); ++row) EXPECT_EQ(width(*row), width(*head)) << *row;
  EXPECT_LE(width(*head), 110);
}

TEST(StatusTable, EndsWithTheNewestEvents) {
  party::RunStatus status = sample_status();
  for (int i = 0; i < 20; ++i) status.events.push_back("event " + std::to_string(i));
  const std::string table = status_table(status);
  EXPECT_THAT(table, AllOf(HasSubstr("\n  event 10\n"), Not(HasSubstr("event 9\n"))));
  EXPECT_TRUE(table.ends_with("  event 19\n"));
}

TEST(StatusTable, TextOfOthersCannotMoveTheCursor) {
  party::RunStatus status = sample_status();
  status.events = {"\x1b[2J gone\r\n"};
  status.job = "a\x1b]0;title\x07";
  status.clients[0].name = "x\x1b[1A";
  EXPECT_THAT(status_table(status), AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\r")),
                                          Not(HasSubstr("\x07")), HasSubstr("?[2J gone??")));
}

TEST(StatusTable, CanBeMadeOfNothingAndOfNonsense) {
  EXPECT_THAT(status_table(party::RunStatus{}), HasSubstr("0 of 0 clients"));
  party::RunStatus status = sample_status();
  status.progress.loss = status.rounds_per_second = std::numeric_limits<double>::quiet_NaN();
  status.running_seconds = std::numeric_limits<double>::infinity();
  status.progress.round = std::numeric_limits<std::uint64_t>::max();
  status.clients[0].late_seconds = std::numeric_limits<double>::infinity();
  status.clients[1].heard_seconds_ago = 1e300;
  status.clients[2].name = std::string(5000, 'n');
  EXPECT_THAT(status_table(status), HasSubstr("100 %"));
}

}  // namespace
}  // namespace fedvs::status
