// The charts of a page as files, for papers.
#pragma once
#include <filesystem>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/report/report.h"

namespace fedvs::experiments {

// One per chart and x axis, <id>-<axis>.<ending>, into a folder that is made where it is missing.
// ending: "svg" or "png". kBadFile.
Status write_charts(const report::Report& page, const std::filesystem::path& folder,
                    const std::string& ending);

}  // namespace fedvs::experiments
