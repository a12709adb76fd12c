// Figure 2: who leads on which kind of data, what noise costs; and what we add to the paper's
// method.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/experiments/judge.h"
#include "fedvs/experiments/lead.h"

namespace fedvs::experiments {
namespace {

constexpr double kLevel = 0.25;  // percentage points
constexpr double kNoLess = 0.5;  // percentage points

bool is_tabular(const PanelOutcome& panel) {
  return panel.title == "credit-card" || panel.title == "parkinson";
}

std::vector<const Outcome*> baselines(const PanelOutcome& panel, Tally& tally) {
  std::vector<const Outcome*> found;
  for (const char* method : {"wait", "ignore", "vafl", "wait-dp"}) {
    if (const Outcome* outcome = tally.line(panel, method)) found.push_back(outcome);
  }
  return found;
}

std::string lead_text(const std::string& data, const Lead& lead) {
  std::string text = fmt::format("{}: behind for {:.3g} s", data, lead.behind);
  if (!lead.ahead_first.empty()) text += fmt::format(", {} ahead first", lead.ahead_first);
  if (!lead.ahead_first.empty() && lead.for_good >= 0) {
    text += fmt::format(" until {:.3g} s of {:.3g} s", lead.for_good, lead.end);
  }
  return text;
}

Verdict leads(const Panels& panels, const std::string& method, bool tabular) {
  Tally tally;
  for (const auto& panel : panels) {
    if (is_tabular(panel) != tabular) continue;
    const Outcome* ours = tally.line(panel, method);
    const auto others = baselines(panel, tally);
    if (ours == nullptr || others.empty()) continue;
    const Lead lead = lead_of(*ours, others, kLevel);
    if (!lead.known) {
      tally.miss(panel.title);
      continue;
    }
    const bool early = lead.ahead_first == "vafl" || lead.ahead_first == "ignore";
    const bool holds = tabular ? early && lead.for_good >= 0 : lead.ahead_first.empty();
    tally.add(holds, lead_text(panel.title, lead));
  }
  return tally.verdict(
      tabular
          ? fmt::format(
                "Tabular data: VAFL or Ignore lead early, {} leads in the end (within 0.25 points)",
                method)
          : fmt::format("Image and multi-view data: {} leads at all times (within 0.25 points)",
                        method));
}

// judge(tally, panel, one, other) where a panel has both lines; the others are told as missing.
template <class Judge>
Tally compare_lines(const Panels& panels, const char* one, const char* other, const Judge& judge) {
  Tally tally;
  for (const auto& panel : panels) {
    const Outcome *first = tally.line(panel, one), *second = tally.line(panel, other);
    if (first != nullptr && second != nullptr) judge(tally, panel, *first, *second);
  }
  return tally;
}

// By how many percentage points one ends above the other, and whether that is at least `least`.
Tally compare_ends(const Panels& panels, const char* one, const char* other, double least) {
  return compare_lines(
      panels, one, other,
      [&](Tally& tally, const auto& panel, const auto& first, const auto& second) {
        const double points = 100 * (end_accuracy(first).mean - end_accuracy(second).mean);
        tally.add(points >= least, fmt::format("{}: {:+.2f} points", panel.title, points));
      });
}

Verdict noise_costs(const Panels& panels) {
  return compare_ends(panels, "wait", "wait-dp", kLevel)
      .verdict("Differential privacy costs accuracy on every data set");
}

// Ours: at least 4 times as fast where the slowest model share rules, 1.5 times elsewhere.
double promised(const std::string& data) {
  return data == "parkinson" || data == "caltech7" ? 4 : 1.5;
}

Verdict sooner(const Panels& panels) {
  const auto judge = [](Tally& tally, const auto& panel, const auto& ours, const auto& paper) {
    const auto speed = speed_up(ours, paper, best_accuracy(panel.lines));
    tally.add(speed && speed->times >= promised(panel.title),
              speed ? fmt::format("{}: {:.3g} times (at {:.0f} %, goal {})", panel.title,
                                  speed->times, 100 * speed->share, promised(panel.title))
                    : fmt::format("{}: not both there", panel.title));
  };
  return compare_lines(panels, "fedvs", "fedvs-paper", judge)
      .verdict("Ours: fedvs is as accurate as fedvs-paper several times sooner");
}

Verdict no_less_accurate(const Panels& panels) {
  return compare_ends(panels, "fedvs", "fedvs-paper", -kNoLess)
      .verdict("Ours: fedvs ends no less accurate than fedvs-paper (0.5 points)");
}

}  // namespace

std::vector<Verdict> judge_fig2(const Panels& panels) {
  return {leads(panels, "fedvs-paper", false),
          leads(panels, "fedvs", false),
          leads(panels, "fedvs-paper", true),
          leads(panels, "fedvs", true),
          noise_costs(panels),
          sooner(panels),
          no_less_accurate(panels)};
}

}  // namespace fedvs::experiments
