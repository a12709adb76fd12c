// The report of one run, from what its folder holds.
#pragma once
#include <filesystem>

#include "fedvs/base/result.h"
#include "fedvs/report/report.h"

namespace fedvs::report {

// Accuracy and loss, the figures at the end, the straggler timeline, notes and job.toml; also of a
// run that is still going or was stopped. made, version, commit and machine are left to the caller,
// who knows them. kBadFile: no run folder, or one without its files; kBadJob; kCorrupt with file
// and line.
Result<Report> report_of_run(const std::filesystem::path& run_folder);

}  // namespace fedvs::report
