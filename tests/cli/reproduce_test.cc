#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

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
