#include "fedvs/run/run_folder.h"

#include <fmt/format.h>

#include <system_error>
#include <vector>

#include "fedvs/base/files.h"
#include "fedvs/job/parse.h"
#include "fedvs/job/print.h"
#include "fedvs/store/set_aside.h"

namespace fedvs::run {
namespace {

namespace fs = std::filesystem;

Error cannot_use(const fs::path& path, const std::string& reason) {
  return {ErrorCode::kBadFile, fmt::format("cannot make the run folder {}: {}; choose another "
                                           "place with --out DIR",
                                           path.string(), reason)};
}

Status refuse_occupied(const fs::path& path) {
  std::error_code failure;
  const auto status = fs::status(path, failure);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return cannot_use(path, "it exists and is not a folder");
  const bool empty = fs::is_empty(path, failure);
  if (failure) return cannot_use(path, failure.message());
  if (empty) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the run folder {} is not empty: choose another with --out DIR, or "
                           "continue that run with --resume {}",
                           path.string(), path.string())};
}

// The folders that are missing on the way to `path`, outermost last.
std::vector<fs::path> missing_folders(fs::path path) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  while (!path.empty() && !fs::exists(path, ignored)) {
    missing.push_back(path);
    if (path == path.parent_path()) break;
    path = path.parent_path();
  }
  return missing;
}

Status fill(const RunFolder& run) {
  std::error_code failure;
  fs::create_directories(run.checkpoint_folder(), failure);
  if (failure) return cannot_use(run.path(), failure.message());
  if (auto written = write_atomically(run.job_file(), print_job(run.job())); !written) {
    return cannot_use(run.path(), written.error().message);
  }
  return {};
}

}  // namespace

Result<RunFolder> RunFolder::create(const fs::path& path, const Job& job) {
  FEDVS_TRY_STATUS(refuse_occupied(path));
  RunFolder run(path, job);
  const auto missing = missing_folders(path);
  if (auto filled = fill(run); !filled) {
    std::error_code ignored;
    fs::remove(run.checkpoint_folder(), ignored);
    for (const auto& folder : missing) fs::remove(folder, ignored);  // only if empty
    return filled.error();
  }
  return run;
}

Result<RunFolder> RunFolder::open(const fs::path& path) {
  RunFolder run(path, {});
  auto text = read_file(run.job_file());
  if (!text) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} is not a run folder: {}; name the folder that `fedvs train` "
                             "printed",
                             path.string(), text.error().message)};
  }
  FEDVS_TRY(run.job_, parse_job(*text, run.job_file().string()));
  FEDVS_TRY_STATUS(validate(run.job_));
  return run;
}

Result<RunFolder> RunFolder::mend(const fs::path& path, const Job& job) {
  RunFolder run(path, job);
  if (fs::exists(run.job_file())) {
    auto opened = open(path);
    if (opened) return opened;
    FEDVS_TRY_STATUS(store::set_aside(run.job_file(), opened.error().message));
  }
  FEDVS_TRY_STATUS(fill(run));
  return run;
}

}  // namespace fedvs::run
