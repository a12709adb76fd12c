// Figure 1: stragglers slow training down and cost accuracy, whatever the aggregation; without them
// averaging is about as good as concatenation.
#include <fmt/format.h>

#include "fedvs/experiments/judge.h"

namespace fedvs::experiments {
namespace {

constexpr double kLevel = 0.25;  // percentage points
constexpr double kClose = 1.0;
constexpr const char* kReference = "no stragglers";

double points(const Outcome& outcome, const Outcome& reference) {
  return 100 * (end_accuracy(outcome).mean - end_accuracy(reference).mean);
}

bool all_reach(const Outcome& outcome, double accuracy) {
  return seconds_to(outcome, accuracy).seeds == outcome.seeds.size();
}

// judge(tally, panel, name, outcome, reference) of every method beside a run without stragglers.
template <class Judge>
Tally compare_with_reference(const Panels& panels, const Judge& judge) {
  Tally tally;
  for (const auto& panel : panels) {
    const Outcome* reference = tally.line(panel, kReference);
    for (const char* method : {"wait", "ignore", "vafl"}) {
      const Outcome* outcome = tally.line(panel, method);
      if (reference == nullptr || outcome == nullptr) continue;
      judge(tally, panel, fmt::format("{}, {}", panel.title, method), *outcome, *reference);
    }
  }
  return tally;
}

void judge_speed(Tally& tally, const PanelOutcome& panel, const std::string& name,
                 const Outcome& outcome, const Outcome& reference) {
  const double best = best_accuracy(panel.lines);
  if (const auto speed = speed_up(outcome, reference, best)) {
    tally.add(speed->times < 1, fmt::format("{}: {:.3g} times as long", name, 1 / speed->times));
  } else if (all_reach(reference, kShares[0] * best)) {
    tally.add(true, fmt::format("{}: never as accurate", name));
  } else {
    tally.miss(name);
  }
}

void judge_accuracy(Tally& tally, const PanelOutcome&, const std::string& name,
                    const Outcome& outcome, const Outcome& reference) {
  const double above = points(outcome, reference);
  tally.add(above < -kLevel, fmt::format("{}: {:+.2f} points", name, above));
}

Tally compare_aggregations(const Panels& panels) {
  Tally tally;
  const Outcome *average = nullptr, *concat = nullptr;
  for (const auto& panel : panels) {
    if (panel.id == "fig1-average") average = tally.line(panel, kReference);
    if (panel.id == "fig1-concat") concat = tally.line(panel, kReference);
  }
  if (average == nullptr || concat == nullptr) return tally;
  const double above = points(*average, *concat);
  tally.add(above > -kClose, fmt::format("{:+.2f} points", above));
  return tally;
}

}  // namespace

std::vector<Verdict> judge_fig1(const Panels& panels) {
  return {compare_with_reference(panels, judge_speed)
              .verdict("Stragglers slow convergence down, for all aggregations and strategies"),
          compare_with_reference(panels, judge_accuracy)
              .verdict("Stragglers cost accuracy, for all aggregations and strategies"),
          compare_aggregations(panels).verdict(
              "Without stragglers, averaging is close to concatenation (1 point)")};
}

}  // namespace fedvs::experiments
