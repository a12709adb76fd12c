#include "fedvs/report/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "fedvs/report/gnuplot.h"
#include "fedvs/report/palette.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Chart small_chart() {
  return {.id = "fig",
          .title = "Chart",
          .y = "%",
          .note = "",
          .axes = {{"time", "s"}, {"rounds", "rounds"}},
          .series = {{"fedvs", {{"time", {{1, 2}, {3, 4}, {2, 3}, {4, 5}}}}}}};
}

std::string error_of(const std::string& axis, const std::filesystem::path& path) {
  const auto status = write_figure(small_chart(), axis, path);
  return status ? "no error" : status.error().message;
}

// PATH is `value` while the object lives.
class SearchPath {
 public:
  explicit SearchPath(const std::string& value) : before_(std::getenv("PATH")) {
    ::setenv("PATH", value.c_str(), 1);
  }
  ~SearchPath() { ::setenv("PATH", before_.c_str(), 1); }
  SearchPath(const SearchPath&) = delete;
  SearchPath& operator=(const SearchPath&) = delete;

 private:
  std::string before_;
};

TEST(WriteFigure, WhatCannotBeDrawnIsSaid) {
  const ScratchFolder scratch;
  EXPECT_THAT(error_of("time", scratch / "fig.pdf"),
              AllOf(HasSubstr("fig.pdf"), HasSubstr(".svg")));
  EXPECT_THAT(error_of("bytes", scratch / "fig.svg"),
              AllOf(HasSubstr("no x axis bytes"), HasSubstr("time, rounds")));
  EXPECT_THAT(error_of("rounds", scratch / "fig.svg"), HasSubstr("no series"));
}

TEST(WriteFigure, WithoutGnuplotTheRemedyIsNamedAndNothingIsLeft) {
  const ScratchFolder scratch;
  const SearchPath nowhere(scratch.path().string());
  EXPECT_THAT(error_of("time", scratch / "fig.svg"), HasSubstr("apt-get install gnuplot-nox"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(WriteFigure, GnuplotsOwnWordsReachTheReader) {
  const ScratchFolder scratch;
  put(scratch / "gnuplot", "#!/bin/sh\necho 'line 7: no such terminal' >&2\nexit 1\n");
  std::filesystem::permissions(scratch / "gnuplot", std::filesystem::perms::owner_all);
  const SearchPath only(scratch.path().string());
  EXPECT_THAT(error_of("time", scratch / "fig.svg"), HasSubstr("line 7: no such terminal"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "fig.svg"));
}

TEST(GnuplotText, NothingInATextIsACommand) {
  EXPECT_EQ(gnuplot_text("it's `x`\n\"$HOME\""), "'it''s `x` \"$HOME\"'");
}

TEST(LooksOf, MethodsKeepTheirColourWhateverStandsBesideThem) {
  const auto few = looks_of({"fedvs", "K = 1"});
  const auto many = looks_of({"a", "b", "fedvs"});
  EXPECT_EQ(few[0].colour, many[2].colour);
  EXPECT_EQ(few[1].colour, many[0].colour);
  EXPECT_NE(many[0].colour, many[1].colour);
}

TEST(LooksOf, NoTwoSeriesOfAChartLookTheSame) {
  std::set<std::string> colours;
  const auto looks = looks_of({"K = 1", "fedvs", "K = 2", "wait", "K = 4", "K = 8"});
  for (const auto& look : looks) colours.insert(look.colour);
  EXPECT_EQ(colours.size(), looks.size());
}

TEST(LooksOf, FedvsIsTheStrongestLine) {
  const auto looks = looks_of({"fedvs", "fedvs-paper", "wait", "ignore", "vafl", "wait-dp"});
  for (std::size_t i = 1; i < looks.size(); ++i) EXPECT_GT(looks[0].width, looks[i].width);
}

TEST(LooksOf, MoreSeriesThanColoursStillHaveLooks) {
  std::vector<std::string> names(40);
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i);
  for (const auto& look : looks_of(names)) EXPECT_EQ(look.colour.size(), 7U);
}

}  // namespace
}  // namespace fedvs::report
