#include "fedvs/experiments/chart_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "fedvs/report/figure.h"

namespace fedvs::experiments {
namespace {

bool has_curve(const report::Chart& chart, const std::string& axis) {
  return std::ranges::any_of(chart.series,
                             [&](const auto& series) { return series.curves.contains(axis); });
}

}  // namespace

Status write_charts(const report::Report& page, const std::filesystem::path& folder,
                    const std::string& ending) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("cannot make the folder {}: {}", folder.string(), failure.message())};
  }
  for (const auto& section : page.sections) {
    for (const auto& chart : section.charts) {
      for (const auto& axis : chart.axes) {
        if (!has_curve(chart, axis.key)) continue;
        const auto file = folder / fmt::format("{}-{}.{}", chart.id, axis.key, ending);
        FEDVS_TRY_STATUS(report::write_figure(chart, axis.key, file));
      }
    }
  }
  return {};
}

}  // namespace fedvs::experiments
