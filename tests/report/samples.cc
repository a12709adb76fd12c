// report_samples DIR [--figures]: pages (or figures) of a run and of a comparison, for the tests
// that look at them.
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "fedvs/base/temporary_folder.h"
#include "fedvs/report/figure.h"
#include "fedvs/report/html.h"
#include "fedvs/report/run_report.h"
#include "tests/report/sample_comparison.h"
#include "tests/report/sample_run.h"

namespace {

using namespace fedvs;
using namespace fedvs::report;

Status write_pages(const std::filesystem::path& folder) {
  FEDVS_TRY(const auto scratch, TemporaryFolder::create());
  for (const auto& [name, clients, rounds] : {std::tuple("run", 28, 600), {"large", 128, 3000}}) {
    make_sample_run(scratch.path() / name, clients, rounds);
    FEDVS_TRY(Report report, report_of_run(scratch.path() / name));
    report.made = utc_now();
    FEDVS_TRY_STATUS(write_html(folder / (std::string(name) + ".html"), report));
  }
  FEDVS_TRY_STATUS(write_html(folder / "odd.html", sample_oddities()));
  return write_html(folder / "comparison.html", sample_comparison());
}

Status write_figures(const std::filesystem::path& folder) {
  Chart chart = sample_comparison().sections[0].charts[0];
  chart.title = kHostile;
  FEDVS_TRY_STATUS(write_figure(chart, "time", folder / "time.svg"));
  return write_figure(chart, "rounds", folder / "rounds.png");
}

}  // namespace

int main(int argc, char** argv) {
  const bool figures = argc == 3 && std::string_view(argv[2]) == "--figures";
  if (argc != 2 && !figures) return 2;
  std::filesystem::create_directories(argv[1]);
  const auto status = figures ? write_figures(argv[1]) : write_pages(argv[1]);
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
