// Figure 1: stragglers slow training down and cost accuracy, whatever the aggregation; without them
// averaging is about as good as concatenation.
#include <fmt/format.h>

#include "fedvs/study/judge.h"

namespace fedvs::study {
namespace {

constexpr double kLevel = 0.25;  // percentage points
constexpr double kClose = 1.0;

double points(const Outcome& outcome, const Outcome& reference) {
  return 100 * (end_accuracy(outcome).mean - end_accuracy(reference).mean);
}

bool all_reach(const Outcome& outcome, double accuracy) {
  return seconds_to(outcome, accuracy).seeds == outcome.seeds.size();
}

}  // namespace

std::vector<Verdict> judge_fig1(const Panels& panels) {
  Tally slower, worse, close;
  const Outcome *average = nullptr, *concat = nullptr;
  for (const auto& panel : panels) {
    const Outcome* reference = find(panel.lines, "no stragglers");
    if (reference == nullptr) continue;
    if (panel.id == "fig1-average") average = reference;
    if (panel.id == "fig1-concat") concat = reference;
    for (const char* method : {"wait", "ignore", "vafl"}) {
      const Outcome* outcome = find(panel.lines, method);
      if (outcome == nullptr) continue;
      const auto speed = speed_up(*outcome, *reference, best_accuracy(panel.lines));
      const std::string name = fmt::format("{}, {}", panel.title, method);
      if (speed) {
        slower.add(speed->times < 1,
                   fmt::format("{}: {:.3g} times as long", name, 1 / speed->times));
      } else if (all_reach(*reference, kShares[0] * best_accuracy(panel.lines))) {
        slower.add(true, fmt::format("{}: never as accurate", name));
      } else {
        slower.miss(name);
      }
      worse.add(points(*outcome, *reference) < -kLevel,
                fmt::format("{}: {:+.2f} points", name, points(*outcome, *reference)));
    }
  }
  if (average != nullptr && concat != nullptr) {
    close.add(points(*average, *concat) > -kClose,
              fmt::format("{:+.2f} points", points(*average, *concat)));
  }
  return {slower.verdict("Stragglers slow convergence down, for all aggregations and strategies"),
          worse.verdict("Stragglers cost accuracy, for all aggregations and strategies"),
          close.verdict("Without stragglers, averaging is close to concatenation (1 point)")};
}

}  // namespace fedvs::study
