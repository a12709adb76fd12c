// A chart as a figure for a paper: SVG or PNG, drawn by gnuplot in the page's colours.
#pragma once
#include <filesystem>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/report/report.h"

namespace fedvs::report {

// Means as lines, spreads as shades, on the x axis with this key. The ending of `path` says which
// kind. kBadFile: another ending, no such axis, nothing to draw, no gnuplot, a path that cannot be
// written.
Status write_figure(const Chart& chart, const std::string& axis, const std::filesystem::path& path);

}  // namespace fedvs::report
