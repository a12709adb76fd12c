// Figures 3 and 4: how K and T move the time that an accuracy takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "fedvs/experiments/judge.h"

namespace fedvs::experiments {
namespace {

constexpr double kShare = 0.95;  // of the panel's best accuracy

// Of every line, in order; infinite where a seed does not get there, empty if a line is missing.
std::vector<double> times_of(const PanelOutcome& panel, Tally& tally) {
  bool whole = true;
  for (const auto& line : panel.lines) whole &= tally.line(panel, line.name) != nullptr;
  if (!whole) return {};
  std::vector<double> times;
  const double best = best_accuracy(panel.lines);
  for (const auto& line : panel.lines) {
    const Reached reached = seconds_to(line, kShare * best);
    times.push_back(reached.seeds == line.seeds.size() ? reached.seconds
                                                       : std::numeric_limits<double>::infinity());
  }
  return times;
}

std::string evidence(const PanelOutcome& panel, const std::vector<double>& times) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < times.size(); ++i) {
    cells.push_back(fmt::format("{}: {:.4g} s", panel.lines[i].name, times[i]));
  }
  return fmt::format("{} ({})", panel.title, fmt::join(cells, ", "));
}

// The fastest line is in the first (or last) half, and the one at the other end is slower.
bool fastest_at(const std::vector<double>& times, bool at_the_end) {
  const auto best = static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
  const double near = at_the_end ? times.back() : times.front();
  const double far = at_the_end ? times.front() : times.back();
  return (at_the_end ? 2 * best >= times.size() : 2 * best < times.size()) && near < far;
}

// Each at least as slow as the one before, but for 2 %.
bool ever_slower(const std::vector<double>& times) {
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] < 0.98 * times[i - 1]) return false;
  }
  return times.back() > times.front();
}

template <class Holds>
Verdict judged(const Panels& panels, const std::string& prefix, const std::string& claim,
               Holds holds) {
  Tally tally;
  for (const auto& panel : panels) {
    if (!panel.id.starts_with(prefix)) continue;
    const auto times = times_of(panel, tally);
    if (!times.empty()) tally.add(holds(times), evidence(panel, times));
  }
  return tally.verdict(claim);
}

}  // namespace

std::vector<Verdict> judge_fig3(const Panels& panels) {
  return {judged(panels, "fig3-delay", "Where delays dominate, a small K is best",
                 [](const auto& times) { return fastest_at(times, false); }),
          judged(panels, "fig3-compute", "Where computing dominates, a large K is best",
                 [](const auto& times) { return fastest_at(times, true); })};
}

std::vector<Verdict> judge_fig4(const Panels& panels) {
  return {judged(panels, "fig4", "The more clients may collude, the slower",
                 [](const auto& times) { return ever_slower(times); })};
}

}  // namespace fedvs::experiments
