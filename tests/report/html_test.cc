#include "fedvs/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "fedvs/report/assets.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kOpen = R"(<script type="application/json" id="report">)";

// What a browser takes for the report: up to the first </script>.
json report_in(const std::string& page) {
  const auto begin = page.find(kOpen) + kOpen.size();
  return json::parse(page.substr(begin, page.find("</script", begin) - begin));
}

int count(const std::string& page, const std::string& what) {
  int found = 0;
  for (auto at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
  return found;
}

Report small_report() {
  return {.title = "A title",
          .summary = "One line.",
          .kind = Kind::kReproduction,
          .made = "2026-11-16T02:20:00Z",
          .version = "fedvs 1",
          .commit = "abc",
          .machine = "two cores",
          .sections =
              {{.title = "Section",
                .text = {"One.", "Two."},
                .charts = {{.id = "fig",
                            .title = "Chart",
                            .y = "%",
                            .note = "",
                            .axes = {{"time", "s"}},
                            .series = {{"fedvs",
                                        {{"time", {{1, 2}, {3, NAN}, {2.5, NAN}, {4, NAN}}}}}}}},
                .tables = {{"Caption", {"a", "b"}, {{"1", "2"}}}},
                .timelines = {{"Rounds", 3, {{7, 0.5, 1.25, {2, 1}, {3}, {0, -1, 4}}}}}}},
          .settings = {{"job.toml", "a = 1\n"}}};
}

TEST(ToHtml, ThePageHoldsTheReportAsTheContractSays) {
  EXPECT_EQ(report_in(to_html(small_report())), json::parse(R"({
    "format": 1, "title": "A title", "summary": "One line.", "kind": "reproduction",
    "made": "2026-11-16T02:20:00Z", "version": "fedvs 1", "commit": "abc", "machine": "two cores",
    "sections": [{"title": "Section", "text": ["One.", "Two."],
      "charts": [{"id": "fig", "title": "Chart", "y": "%", "axes": [{"key": "time", "label": "s"}],
        "series": [{"name": "fedvs", "curves": {"time":
          {"x": [1.0, 2.0], "mean": [3.0, null], "low": [2.5, null], "high": [4.0, null]}}}]}],
      "tables": [{"caption": "Caption", "columns": ["a", "b"], "rows": [["1", "2"]]}],
      "timelines": [{"title": "Rounds", "clients": 3, "rounds":
        [{"round": 7, "start": 0.5, "end": 1.25, "answered": [2, 1], "late": [3], "ages": [0, -1, 4]}]}]}],
    "settings": [{"name": "job.toml", "text": "a = 1\n"}]})"));
}

TEST(ToHtml, NoTextBreaksOutOfItsPlace) {
  const std::string hostile = "</script><script>alert('x')</script><!-- <b>&amp; {{script}} \"";
  Report report = small_report();
  const std::string tame = to_html(report);
  report.title = report.summary = report.sections[0].text[0] = report.settings[0].text = hostile;
  const std::string page = to_html(report);
  for (const char* mark : {"<script", "</script", "<!--", "alert('x')</script"}) {
    EXPECT_EQ(count(page, mark), count(tame, mark)) << mark;
  }
  EXPECT_EQ(report_in(page)["settings"][0]["text"], hostile);
  EXPECT_EQ(report_in(page)["title"], hostile);
  EXPECT_THAT(page, HasSubstr("<title>&lt;/script>&lt;script>"));
}

TEST(ToHtml, BytesThatAreNoTextAreReplacedNotFatal) {
  Report report = small_report();
  report.summary = "caf\xe9";
  EXPECT_EQ(report_in(to_html(report))["summary"], "caf\xEF\xBF\xBD");
}

TEST(ToHtml, ThePartsAreTheFilesOfTheFrontEnd) {
  const std::filesystem::path web = FEDVS_WEB;
  EXPECT_EQ(page_template(), contents_of(web / "page.html"));
  EXPECT_EQ(page_style(), contents_of(web / "style.css"));
  EXPECT_EQ(page_script(), contents_of(web / "dist/report.js"));
  EXPECT_EQ(palette_json(), contents_of(web / "palette.json"));
}

TEST(ToHtml, TheScriptCannotEndItsOwnElement) {
  EXPECT_THAT(std::string(page_script()), Not(HasSubstr("</script")));
  EXPECT_THAT(std::string(page_script()), Not(HasSubstr("<!--")));
}

TEST(WriteHtml, APlaceThatCannotBeWrittenIsAnErrorWithItsName) {
  const ScratchFolder scratch;
  ASSERT_TRUE(write_html(scratch / "report.html", small_report()));
  EXPECT_EQ(contents_of(scratch / "report.html"), to_html(small_report()));
  const auto status = write_html(scratch / "none/report.html", small_report());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("none/report.html"));
}

}  // namespace
}  // namespace fedvs::report
