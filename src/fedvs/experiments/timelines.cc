#include "fedvs/experiments/timelines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fedvs/report/run_rounds.h"
#include "fedvs/run/events.h"
#include "fedvs/run/run_folder.h"

namespace fedvs::experiments {
namespace {

constexpr std::size_t kTimelineRounds = 300;  // of each; a dozen share a page

Result<report::Timeline> timeline_of(const Folder& folder, const Outcome& line) {
  FEDVS_TRY(const auto run, run::RunFolder::open(folder.run(line.first_run)));
  FEDVS_TRY(const auto events, run::read_events(run.events_file()));
  FEDVS_TRY(auto rounds,
            report::read_rounds(events, run.job().data.clients, run.events_file().string()));
  auto timeline = std::move(rounds.timeline);
  if (timeline.rounds.size() > kTimelineRounds) timeline.rounds.resize(kTimelineRounds);
  timeline.title = fmt::format("{}, seed {}: the first {} of {} rounds", line.name,
                               run.job().sim.seed, timeline.rounds.size(), rounds.rounds);
  return timeline;
}

}  // namespace

Result<std::vector<report::Timeline>> timelines_of(const Folder& folder,
                                                   const std::vector<const Outcome*>& lines) {
  std::vector<report::Timeline> all;
  for (const auto* line : lines) {
    FEDVS_TRY(auto timeline, timeline_of(folder, *line));
    all.push_back(std::move(timeline));
  }
  return all;
}

// Figure 2 compares how the paper's method and ours meet stragglers; the other figures vary
// numbers.
std::vector<const Outcome*> lines_with_timelines(const PanelOutcome& panel) {
  std::vector<const Outcome*> found;
  if (!panel.id.starts_with("fig2-")) return found;
  for (const char* method : {"fedvs-paper", "fedvs"}) {
    if (const Outcome* line = find(panel.lines, method)) found.push_back(line);
  }
  return found;
}

}  // namespace fedvs::experiments
