#include "fedvs/cli/pages.h"

#include <system_error>

#include "fedvs/cli/version.h"
#include "fedvs/experiments/study_report.h"
#include "fedvs/report/html.h"
#include "fedvs/report/run_report.h"
#include "fedvs/run/origin.h"

namespace fedvs::cli {

report::Report signed_page(report::Report page) {
  page.made = report::utc_now();
  page.version = version();
  const auto origin = run::own_origin();
  page.commit = origin.commit;
  page.machine = origin.machine;
  return page;
}

Status write_run_page(const std::filesystem::path& run, const std::filesystem::path& file) {
  FEDVS_TRY(auto page, report::report_of_run(run));
  return report::write_html(file, signed_page(std::move(page)));
}

Result<report::Report> study_page(const experiments::Folder& folder,
                                  const experiments::Study& study) {
  return study.kind == "comparison" ? experiments::comparison_report(folder, study)
                                    : experiments::reproduction_report(folder, study);
}

Status write_study_pages(const experiments::Folder& folder, const experiments::Study& study,
                         const std::filesystem::path& file) {
  FEDVS_TRY(auto page, study_page(folder, study));
  FEDVS_TRY_STATUS(report::write_html(file, signed_page(std::move(page))));
  if (study.kind == "comparison") return {};
  for (const auto& figure : study.figures) {
    const auto place = folder.path() / figure.key;
    std::error_code failure;  // if it cannot be made, then neither can the page in it
    std::filesystem::create_directories(place, failure);
    FEDVS_TRY(auto one, experiments::figure_report(folder, figure));
    FEDVS_TRY_STATUS(report::write_html(place / "report.html", signed_page(std::move(one))));
  }
  return {};
}

}  // namespace fedvs::cli
