// fedvs report: the page of a run or a study, made again, and its charts as files.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "fedvs/cli/commands.h"
#include "fedvs/cli/output_file.h"
#include "fedvs/cli/pages.h"
#include "fedvs/experiments/chart_files.h"
#include "fedvs/experiments/there.h"
#include "fedvs/report/run_report.h"

namespace fedvs::cli {
namespace {

namespace fs = std::filesystem;

Status write_chart_files(const report::Report& page, const ReportOptions& options) {
  if (!options.svg.empty()) FEDVS_TRY_STATUS(experiments::write_charts(page, options.svg, "svg"));
  if (!options.png.empty()) FEDVS_TRY_STATUS(experiments::write_charts(page, options.png, "png"));
  return {};
}

Status report_run(const ReportOptions& options, const fs::path& file) {
  FEDVS_TRY(const auto page, report::report_of_run(options.folder));
  FEDVS_TRY_STATUS(write_run_page(options.folder, file));
  return write_chart_files(page, options);
}

Status report_study(const ReportOptions& options, const fs::path& file) {
  const experiments::Folder folder(options.folder);
  FEDVS_TRY(const auto study, folder.read());
  FEDVS_TRY(const auto page, study_page(folder, study));
  FEDVS_TRY_STATUS(write_study_pages(folder, study, file));
  return write_chart_files(page, options);
}

Status write_report(const ReportOptions& options) {
  const fs::path folder(options.folder);
  const fs::path file = options.out.empty() ? folder / "report.html" : fs::path(options.out);
  FEDVS_TRY(const bool is_run, experiments::is_there(folder / "job.toml"));
  FEDVS_TRY(const bool is_study, experiments::is_there(experiments::Folder(folder).study_file()));
  if (!is_run && !is_study) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} holds neither a run (job.toml) nor a study (study.json); name the "
                             "folder that fedvs train, compare or reproduce printed",
                             options.folder)};
  }
  FEDVS_TRY_STATUS(
      check_output("--out", options.out,
                   {folder / "job.toml", folder / "events.jsonl", folder / "metrics.csv",
                    folder / "summary.json", folder / "checkpoint" / "latest.ckpt",
                    experiments::Folder(folder).study_file()}));
  FEDVS_TRY_STATUS(is_run ? report_run(options, file) : report_study(options, file));
  std::cout << file.string() << "\n";
  return {};
}

}  // namespace

ExitStatus report(const ReportOptions& options) {
  const Status status = write_report(options);
  if (status) return kOk;
  std::cerr << "fedvs report: " << status.error().message << "\n";
  return exit_status(status.error());
}

}  // namespace fedvs::cli
