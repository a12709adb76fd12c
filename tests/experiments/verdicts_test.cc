// Verdicts follow the numbers, not our wishes: each claim is met by runs that keep it and by runs
// that break it.
#include "fedvs/experiments/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/experiments/figures.h"
#include "fedvs/experiments/lead.h"
#include "tests/experiments/runs.h"

namespace fedvs::experiments {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

std::string answer(const std::vector<Verdict>& verdicts, const std::string& claim) {
  for (const auto& v : verdicts) {
    if (v.claim.find(claim) != std::string::npos) return v.answer;
  }
  return "no such claim";
}

Outcome rising(const std::string& name, double seconds, double end) {
  return line_of(name, {run_of({{0.1 * seconds, 0.1}, {seconds, end}})});
}

TEST(Lead, OfTheLineThatIsAboveAllTheTimeIsWhole) {
  const Outcome ours = rising("ours", 10, 0.9), wait = rising("wait", 100, 0.8);
  const Lead lead = lead_of(ours, {&wait}, 0);
  EXPECT_DOUBLE_EQ(lead.behind, 0);
  EXPECT_EQ(lead.ahead_first, "");
  EXPECT_DOUBLE_EQ(lead.end, 100);
}

TEST(Lead, IsLostWhileAnotherIsAboveAndBeforeTheFirstEvaluation) {
  // Given vafl from 1 s on at 0.5 for good, ours at 0.4 from 10 s and at 0.6 from 20 s to 101 s:
  const Outcome vafl = line_of("vafl", {run_of({{1, 0.5}, {2, 0.5}})});
  const Outcome ours = line_of("ours", {run_of({{10, 0.4}, {20, 0.6}, {101, 0.6}})});
  // Then ours is level at 15 s, after 14 of 100 s.
  const Lead lead = lead_of(ours, {&vafl}, 0);
  EXPECT_NEAR(lead.behind, 14, 0.2);
  EXPECT_NEAR(lead.for_good, 15, 0.2);
  EXPECT_EQ(lead.ahead_first, "vafl");
  // And 10 percentage points of tolerance make it level from its first evaluation on.
  EXPECT_NEAR(lead_of(ours, {&vafl}, 10).for_good, 10, 0.2);
}

TEST(Lead, IsLostInAMomentThatASlowLineMakesLookShort) {
  // Given ours below vafl for all of its 10 s, and a line that takes 200 times as long:
  const Outcome ours = rising("ours", 10, 0.8), vafl = rising("vafl", 9, 0.81),
                wait = rising("wait", 2000, 0.7);
  EXPECT_EQ(lead_of(ours, {&vafl, &wait}, 0.25).ahead_first, "vafl");
}

TEST(Lead, IsNotKnownWhereSeedsDoNotMeetInTime) {
  const Outcome ours = line_of("ours", {run_of({{1, 0.5}}), run_of({{2, 0.5}})});
  EXPECT_FALSE(lead_of(ours, {&ours}, 0).known);
}

TEST(Lead, IsNeverForGoodIfAnotherEndsAhead) {
  const Outcome wait = rising("wait", 100, 0.9), ours = rising("ours", 10, 0.8);
  EXPECT_LT(lead_of(ours, {&wait}, 0).for_good, 0);
}

std::vector<PanelOutcome> fig2(const std::string& data, std::vector<Outcome> lines) {
  return {{"fig2-" + data, data, std::move(lines)}};
}

TEST(Verdicts, OfFigure2FollowWhoLeads) {
  const auto good =
      verdicts_of("fig2", fig2("emnist", {rising("fedvs", 10, 0.9), rising("fedvs-paper", 50, 0.9),
                                          rising("wait", 100, 0.9), rising("ignore", 20, 0.7),
                                          rising("vafl", 30, 0.7), rising("wait-dp", 100, 0.5)}));
  EXPECT_EQ(answer(good, "multi-view data: fedvs leads"), "yes");
  EXPECT_EQ(answer(good, "Differential privacy costs"), "yes");
  EXPECT_EQ(answer(good, "several times sooner"), "yes");  // 5 times, goal 1.5
  EXPECT_EQ(answer(good, "no less accurate"), "yes");
  EXPECT_EQ(answer(good, "Tabular data: VAFL"), "not known");
  const auto bad = verdicts_of(
      "fig2", fig2("parkinson", {rising("fedvs", 20, 0.8), rising("fedvs-paper", 50, 0.9),
                                 rising("wait", 5, 0.9), rising("ignore", 100, 0.7),
                                 rising("vafl", 100, 0.7), rising("wait-dp", 100, 0.9)}));
  EXPECT_EQ(answer(bad, "Tabular data: VAFL"), "no");
  EXPECT_EQ(answer(bad, "Differential privacy costs"), "no");
  EXPECT_EQ(answer(bad, "several times sooner"), "no");
  EXPECT_EQ(answer(bad, "no less accurate"), "no");
}

TEST(Verdicts, OfTabularDataWantAnEarlyLeadThatIsLost) {
  const auto verdicts =
      verdicts_of("fig2", fig2("credit-card", {rising("fedvs", 50, 0.9), rising("wait", 90, 0.9),
                                               rising("ignore", 60, 0.6), rising("vafl", 5, 0.6),
                                               rising("wait-dp", 90, 0.5)}));
  EXPECT_EQ(answer(verdicts, "Tabular data: VAFL or Ignore lead early, fedvs leads"), "yes");
}

TEST(Verdicts, OfFigure1CountNothingWhereTheReferenceFails) {
  const std::vector<PanelOutcome> panels = {
      {"fig1-average", "average", {rising("no stragglers", 10, 0.5), rising("wait", 100, 0.9)}}};
  EXPECT_EQ(answer(verdicts_of("fig1", panels), "slow convergence down"), "not known");
}

TEST(Verdicts, OfFigure1CompareWithARunWithoutStragglers) {
  const std::vector<PanelOutcome> panels = {
      {"fig1-average",
       "average",
       {rising("no stragglers", 10, 0.9), rising("wait", 100, 0.9), rising("ignore", 5, 0.8),
        rising("vafl", 5, 0.8)}},
      {"fig1-concat",
       "concat",
       {rising("no stragglers", 10, 0.95), rising("wait", 100, 0.95), rising("ignore", 5, 0.8),
        rising("vafl", 5, 0.8)}}};
  const auto verdicts = verdicts_of("fig1", panels);
  EXPECT_EQ(answer(verdicts, "slow convergence down"), "yes");  // ignore never gets there
  EXPECT_EQ(answer(verdicts, "cost accuracy"), "in 4 of 6 cases");
  EXPECT_EQ(answer(verdicts, "close to concatenation"), "no");  // 5 points
}

TEST(Verdicts, OfFigures3And4FollowTheOrderOfTimes) {
  const auto panel = [](const std::string& id, std::vector<double> seconds) {
    PanelOutcome made{id, id, {}};
    for (double s : seconds) made.lines.push_back(rising("K = " + std::to_string(s), s, 0.9));
    return made;
  };
  EXPECT_EQ(answer(verdicts_of("fig3", {panel("fig3-delay-fedvs", {10, 11, 20, 30})}), "small K"),
            "yes");
  EXPECT_EQ(answer(verdicts_of("fig3", {panel("fig3-delay-fedvs", {30, 20, 11, 10})}), "small K"),
            "no");
  EXPECT_EQ(answer(verdicts_of("fig3", {panel("fig3-compute-fedvs", {30, 20, 10, 11})}), "large K"),
            "yes");
  EXPECT_EQ(answer(verdicts_of("fig4", {panel("fig4-fedvs", {10, 10, 12, 15})}), "slower"), "yes");
  EXPECT_EQ(answer(verdicts_of("fig4", {panel("fig4-fedvs", {10, 15, 12, 15})}), "slower"), "no");
}

TEST(Verdicts, OfTable1CompareWithThePaper) {
  PanelOutcome panel{"table1", "table1", {}};
  for (int layers = 1; layers <= 3; ++layers) {
    panel.lines.push_back(rising("mlp " + std::to_string(layers), 1, 0.886));
    panel.lines.push_back(rising("cnn " + std::to_string(layers), 1, 0.91));
    panel.lines.push_back(rising("pn " + std::to_string(layers), 1, layers == 1 ? 0.80 : 0.885));
  }
  const auto verdicts = verdicts_of("table1", {panel});
  EXPECT_EQ(answer(verdicts, "CNN clients are most accurate"), "yes");
  EXPECT_EQ(answer(verdicts, "within 1 point"), "in 2 of 3 cases");
  EXPECT_THAT(verdict_table(verdicts).rows[1][2], HasSubstr("1 layers: -8.19 points"));
}

TEST(Verdicts, OfMissingRunsAreNotKnown) {
  for (const char* key : {"fig1", "table1", "fig2", "fig3", "fig4"}) {
    for (const auto& verdict : verdicts_of(key, {})) EXPECT_EQ(verdict.answer, "not known") << key;
  }
  EXPECT_TRUE(verdicts_of("compare", {}).empty());
}

// Every figure with all its lines, each with two of two seeds.
std::vector<PanelOutcome> whole(const std::string& key) {
  std::vector<PanelOutcome> panels;
  for (const auto& panel : define_figure(key, Size::kQuick).panels) {
    panels.push_back({panel.id, panel.title, {}});
    for (const auto& line : panel.lines) {
      const auto run = run_of({{1, 0.1}, {10, 0.9}});
      panels.back().lines.push_back(line_of(line.name, {run, run}));
    }
  }
  return panels;
}

TEST(Verdicts, NameTheLinesThatAreMissingOrLackSeeds) {
  for (const auto& key : figure_keys()) {
    for (const auto& verdict : verdicts_of(key, whole(key))) {
      EXPECT_THAT(verdict.answer, Not(HasSubstr("so far"))) << verdict.claim;
      EXPECT_THAT(verdict.evidence, Not(HasSubstr("not known yet"))) << verdict.claim;
      EXPECT_THAT(verdict.evidence, Not(HasSubstr("incomplete"))) << verdict.claim;
    }
    // When the first line of every panel has lost a seed and the last one all of them,
    auto panels = whole(key);
    for (auto& panel : panels) {
      panel.lines.front().seeds.pop_back();
      panel.lines.back().seeds.clear();
    }
    // Then the claims about them say so.
    const auto verdicts = verdicts_of(key, panels);
    const auto says = [](const std::string& text) {
      return Contains(Field(&Verdict::evidence, HasSubstr(text)));
    };
    const auto& panel = panels.front();
    const std::string first = panel.lines.front().name, last = panel.lines.back().name;
    EXPECT_THAT(verdicts, says(first + " of " + panel.title + " (1 of 2 seeds)"));
    EXPECT_THAT(verdicts, says(last + " of " + panel.title));
    EXPECT_NE(verdicts[0].answer, "yes");
    EXPECT_NE(verdicts[0].answer, "no");
  }
}

}  // namespace
}  // namespace fedvs::experiments
