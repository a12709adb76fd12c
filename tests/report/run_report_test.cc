#include "fedvs/report/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/sample_run.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string cell(const Table& table, const std::string& name) {
  for (const auto& row : table.rows) {
    if (row[0] == name) return row[1];
  }
  return "no row " + name;
}

void append(const std::filesystem::path& path, const std::string& text) {
  put(path, contents_of(path) + text);
}

TEST(ReportOfRun, SaysWhatTheFolderHolds) {
  // Given 4 clients and 10 rounds of half a second, evaluated after rounds 5 and 10.
  const ScratchFolder scratch;
  make_sample_run(scratch / "run", 4, 10);
  const Report report = report_of_run(scratch / "run").value();
  EXPECT_EQ(report.title, "fedvs on synthetic");
  EXPECT_EQ(report.summary,
            "65.74 % test accuracy after 2 epochs: 10 rounds, 5.0 s of virtual time, 2.5 MB per "
            "client.");
  const auto& charts = report.sections[0].charts;
  ASSERT_EQ(charts.size(), 2U);
  // Nothing was validated, so test accuracy is alone.
  ASSERT_EQ(charts[0].series.size(), 1U);
  const auto& curves = charts[0].series[0].curves;
  EXPECT_THAT(curves.at("time").x, ElementsAre(2.5, 5));
  EXPECT_THAT(curves.at("rounds").x, ElementsAre(5, 10));
  EXPECT_THAT(curves.at("bytes").x, ElementsAre(1.25, 2.5));
  EXPECT_THAT(charts[1].series, ElementsAre(testing::Field(&Series::name, "test"),
                                            testing::Field(&Series::name, "training")));
  EXPECT_EQ(cell(report.sections[0].tables[0], "test accuracy"), "65.74 %");
  EXPECT_EQ(report.settings[0].text, contents_of(scratch / "run/job.toml"));
}

TEST(ReportOfRun, TheTimelineIsWhoAnsweredAndWhoseModelsWereReused) {
  const ScratchFolder scratch;
  make_sample_run(scratch / "run", 4, 10);
  const Section section = report_of_run(scratch / "run").value().sections[1];
  ASSERT_EQ(section.timelines.size(), 1U);
  const Timeline& timeline = section.timelines[0];
  EXPECT_EQ(timeline.clients, 4);
  ASSERT_EQ(timeline.rounds.size(), 10U);
  const auto& seventh = timeline.rounds[6];
  EXPECT_EQ(seventh.round, 7);
  EXPECT_EQ(seventh.start, 3);
  EXPECT_EQ(seventh.end, 3.5);
  EXPECT_THAT(seventh.answered, ElementsAre(1, 4));
  EXPECT_THAT(seventh.late, ElementsAre(2, 3));
  EXPECT_THAT(seventh.ages, ElementsAre(0, 0, 4, 5));
  // Rounds 4 to 10 use two models older than the round, but for (round + n) % 6 = 0: n = 3 in round
  // 9, n = 4 in round 8. 12 of the 40 models in all.
  EXPECT_EQ(cell(section.tables[0], "models used that were older than the round"), "30.0 %");
  EXPECT_EQ(cell(section.tables[0], "uploads not waited for"), "50.0 %");
  EXPECT_EQ(cell(section.tables[0], "plans revised"), "1");
}

TEST(ReportOfRun, NotesHaveASectionIfThereAreAny) {
  const ScratchFolder scratch;
  make_sample_run(scratch / "noted", 4, 10);
  make_sample_run(scratch / "quiet", 4, 3);
  const Report noted = report_of_run(scratch / "noted").value();
  ASSERT_EQ(noted.sections.size(), 3U);
  EXPECT_THAT(noted.sections[2].tables[0].rows,
              ElementsAre(ElementsAre("4", "round 4: plan <revised>")));
  EXPECT_EQ(report_of_run(scratch / "quiet").value().sections.size(), 2U);
}

TEST(ReportOfRun, ARunThatHasJustBegunIsReportedAsSuch) {
  const ScratchFolder scratch;
  make_sample_run(scratch / "run", 4, 3);
  const Report report = report_of_run(scratch / "run").value();
  EXPECT_EQ(report.summary, "3 rounds so far, not evaluated yet.");
  EXPECT_TRUE(report.sections[0].charts.empty());
}

TEST(ReportOfRun, ATornLastLineIsLeftOut) {
  const ScratchFolder scratch;
  make_sample_run(scratch / "run", 4, 10);
  append(scratch / "run/events.jsonl", R"({"event":"round","round":11,"st)");
  append(scratch / "run/metrics.csv", "3,15,7.");
  const Report report = report_of_run(scratch / "run").value();
  EXPECT_EQ(report.sections[1].timelines[0].rounds.size(), 10U);
}

TEST(ReportOfRun, ADamagedEventIsNamedByFileAndLine) {
  const ScratchFolder scratch;
  make_sample_run(scratch / "run", 4, 10);
  const std::string before = contents_of(scratch / "run/events.jsonl");
  const auto lines = std::to_string(std::ranges::count(before, '\n') + 1);
  for (const std::string bad :
       {"garbage", "[1]", R"({"event":"round","round":11})",
        R"({"event":"round","round":11,"started":5,"time":6,"answered":["one"]})",
        R"({"event":"round","round":11,"started":5,"time":6,"answered":[5]})",
        R"({"event":"round","round":11,"started":5,"time":6,"answered":[0]})",
        R"({"event":"round","round":11,"started":6,"time":5,"answered":[1]})",
        R"({"event":"note","round":"x"})"}) {
    put(scratch / "run/events.jsonl", before + bad + "\n");
    const auto report = report_of_run(scratch / "run");
    ASSERT_FALSE(report) << bad;
    EXPECT_EQ(report.error().code, ErrorCode::kCorrupt) << bad;
    EXPECT_THAT(report.error().message, HasSubstr("events.jsonl:" + lines + ": ")) << bad;
  }
}

TEST(ReportOfRun, AMethodWithoutModelAgesHasATimelineAllTheSame) {
  const ScratchFolder scratch;
  make_sample_run(scratch / "run", 4, 5);
  put(scratch / "run/events.jsonl",
      R"({"event":"round","round":1,"started":0,"time":1,"answered":[3,1]})"
      "\n");
  const Section section = report_of_run(scratch / "run").value().sections[1];
  EXPECT_THAT(section.timelines[0].rounds[0].answered, ElementsAre(3, 1));
  EXPECT_TRUE(section.timelines[0].rounds[0].ages.empty());
}

TEST(ReportOfRun, WhatIsNoRunFolderIsNamed) {
  const ScratchFolder scratch;
  const auto report = report_of_run(scratch / "none");
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("none"));
}

}  // namespace
}  // namespace fedvs::report
