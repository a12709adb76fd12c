// report.html of runs and studies, with where it comes from.
#pragma once
#include <filesystem>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/experiments/folder.h"
#include "fedvs/report/report.h"

namespace fedvs::cli {

// Adds time, version, commit and machine.
report::Report signed_page(report::Report page);

Status write_run_page(const std::filesystem::path& run, const std::filesystem::path& file);
// The page of a study; of a reproduction also those of its figures, in the study's folder.
Status write_study_pages(const experiments::Folder& folder, const experiments::Study& study,
                         const std::filesystem::path& file);
// The main one of these.
Result<report::Report> study_page(const experiments::Folder& folder,
                                  const experiments::Study& study);

}  // namespace fedvs::cli
