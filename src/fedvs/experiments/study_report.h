// The pages of a study, from the runs of its folder that have ended.
#pragma once
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/experiments/folder.h"
#include "fedvs/report/report.h"

namespace fedvs::experiments {

// made, version, commit and machine of these are left to the caller. kBadFile, kCorrupt.

// One panel: chart, table, a straggler timeline per line, settings.
Result<report::Report> comparison_report(const Folder& folder, const Study& study);
// One figure of the paper: verdicts, a section per panel, settings.
Result<report::Report> figure_report(const Folder& folder, const Figure& figure);
// All figures on one page, without their settings.
Result<report::Report> reproduction_report(const Folder& folder, const Study& study);

}  // namespace fedvs::experiments
