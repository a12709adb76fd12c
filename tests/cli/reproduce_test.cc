#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

constexpr int kFailed = 1, kBadUsage = 2;

using Reproduce = Cli;

TEST_F(Reproduce, SuggestsTheFigureThatWasMeant) {
  expect_refused({"reproduce", "fig22"}, kBadUsage, {"\"fig22\"", "did you mean \"fig2\"?"});
  expect_refused({"reproduce", "tabel1"}, kBadUsage, {"did you mean \"table1\"?"});
}

TEST_F(Reproduce, ListsEveryRunOfAllFigures) {
  const Outcome outcome = fedvs(words("reproduce all --quick --dry-run --json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(json::parse(outcome.out).size(), 80u);
}

// Every panel of a figure on a data set that takes no time; the figures' own take minutes.
const Arguments kTinyFigure = words(
                                  "--quick --out study --set data.name=synthetic --set "
                                  "data.rows=200 --set data.features=32 --set data.clients=28") +
                              kTiny;

TEST_F(Reproduce, MakesAPagePerFigureAndOneOfAll) {
  ASSERT_EQ(fedvs(words("reproduce fig4") + kTinyFigure).status, 0);
  const Outcome outcome = fedvs(words("reproduce fig3 --json") + kTinyFigure);
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const json said = json::parse(outcome.out);
  EXPECT_EQ(said["runs"], 28);
  EXPECT_EQ(said["ran"], 26);  // K = 4 and T = 1 were part of Figure 4
  EXPECT_THAT(text("study/fig3/report.html"), HasSubstr("a small K is best"));
  EXPECT_THAT(text("study/fig4/report.html"), HasSubstr("may collude"));
  const std::string all = text("study/report.html");
  EXPECT_THAT(all, HasSubstr("Figure 3"));
  EXPECT_THAT(all, HasSubstr("Figure 4"));
}

TEST_F(Reproduce, ShowsHowBothFormsOfTheMethodMeetStragglersInFigure2) {
  const Outcome outcome =
      fedvs(words("reproduce fig2 --set train.epochs=1 --set train.lr_decay=1") + kTinyFigure);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string page = text("study/fig2/report.html");
  EXPECT_THAT(page, HasSubstr("fedvs-paper, seed 1: the first"));
  EXPECT_THAT(page, HasSubstr("fedvs, seed 1: the first"));
  EXPECT_THAT(page, Not(HasSubstr("wait, seed 1: the first")));
}

using Report = Cli;

// Signature, then a header of 13 bytes whose first eight are width and height.
bool is_png(const std::string& bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n") && bytes.substr(12, 4) == "IHDR" &&
         bytes.ends_with(std::string("IEND\xae\x42\x60\x82"));
}

bool is_svg(const std::string& text) {
  return text.starts_with("<?xml") && text.find("<svg") != std::string::npos &&
         text.find("</svg>") != std::string::npos;
}

class Figures : public Cli {
 protected:
  void SetUp() override {
    const Arguments job = words("--data synthetic --set data.rows=200 --epochs 2") + kTiny;
    ASSERT_EQ(fedvs(words("train --out run --no-report") + job).status, 0);
    ASSERT_EQ(fedvs(words("compare --out study --methods wait,ignore --seeds 1") + job).status, 0);
  }
  std::set<std::string> names(const std::string& folder) const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder)) {
      found.insert(entry.path().filename());
    }
    return found;
  }
};

TEST_F(Figures, OfAPageAreAFilePerChartAndAxis) {
  ASSERT_EQ(std::system("gnuplot --version > /dev/null 2>&1"), 0) << "run scripts/install-deps";
  const Outcome both = fedvs(words("report run --svg figures/svg --png figures/png"));
  ASSERT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(names("figures/svg"),
              UnorderedElementsAre("accuracy-time.svg", "accuracy-rounds.svg", "accuracy-bytes.svg",
                                   "loss-time.svg", "loss-rounds.svg", "loss-bytes.svg"));
  EXPECT_EQ(names("figures/png").size(), 6u);
  for (const auto& name : names("figures/svg")) EXPECT_TRUE(is_svg(text("figures/svg/" + name)));
  for (const auto& name : names("figures/png")) EXPECT_TRUE(is_png(text("figures/png/" + name)));
  // Of a comparison: one chart.
  ASSERT_EQ(fedvs(words("report study --svg two")).status, 0);
  EXPECT_EQ(names("two").size(), 3u);
  EXPECT_THAT(text("two/accuracy-time.svg"), AllOf(HasSubstr("ignore"), HasSubstr("virtual time")));
}

TEST_F(Figures, WithoutGnuplotAreRefusedWithTheRemedy) {
  std::filesystem::create_directory(folder_ / "no-programs");
  const Outcome outcome =
      fedvs(words("report run --svg figures"), {{"PATH", (folder_ / "no-programs").string()}});
  EXPECT_EQ(outcome.status, kFailed);
  EXPECT_THAT(outcome.err, HasSubstr("apt-get install gnuplot-nox"));
}

TEST_F(Report, IsLeftByTrainAndMadeAgain) {
  const Arguments train = words("train --data synthetic --set data.rows=200 --epochs 1") + kTiny;
  ASSERT_EQ(fedvs(train + words("--out run")).status, 0);
  EXPECT_THAT(text("run/report.html"), HasSubstr("fedvs on synthetic"));
  ASSERT_EQ(fedvs(words("report run --out page.html")).status, 0);
  EXPECT_THAT(text("page.html"), HasSubstr("fedvs on synthetic"));
  ASSERT_EQ(fedvs(train + words("--out bare --no-report")).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "bare/report.html"));
}

TEST_F(Report, OfAComparisonIsMadeAgainFromItsRuns) {
  ASSERT_EQ(fedvs(words("compare --data synthetic --methods wait --seeds 1 --epochs 1 --out study "
                        "--set data.rows=200") +
                  kTiny)
                .status,
            0);
  std::filesystem::remove(folder_ / "study/report.html");
  const Outcome outcome = fedvs(words("report study"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "study/report.html\n");
  EXPECT_THAT(text("study/report.html"), HasSubstr("wait on synthetic"));
}

TEST_F(Report, OfWhatIsNeitherRunNorStudyIsRefused) {
  expect_refused(words("report nowhere"), kFailed, {"nowhere", "job.toml", "study.json"});
}

}  // namespace
}  // namespace fedvs::cli
