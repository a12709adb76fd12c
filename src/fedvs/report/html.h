// report.html: one file that needs nothing else, neither beside it nor from the network.
#pragma once
#include <filesystem>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/report/report.h"

namespace fedvs::report {

std::string to_html(const Report& report);
// Replaces an older page at once or not at all; kBadFile with the system's reason.
Status write_html(const std::filesystem::path& path, const Report& report);
// For Report::made: the time now, as 2026-11-16T02:20:00Z.
std::string utc_now();

}  // namespace fedvs::report
