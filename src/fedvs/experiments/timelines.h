// Straggler timelines of a study's lines: one run of each, its first rounds.
#pragma once
#include <vector>

#include "fedvs/experiments/verdicts.h"

namespace fedvs::experiments {

// Of the first run of each that has ended. kBadFile, kCorrupt.
Result<std::vector<report::Timeline>> timelines_of(const Folder& folder,
                                                   const std::vector<const Outcome*>& lines);
// Those that a panel of the paper's figures is shown with.
std::vector<const Outcome*> lines_with_timelines(const PanelOutcome& panel);

}  // namespace fedvs::experiments
