#include "fedvs/experiments/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/experiments/there.h"
#include "fedvs/job/parse.h"
#include "fedvs/job/print.h"

namespace fedvs::experiments {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;

Error refused(const fs::path& file, const std::string& why) {
  return {ErrorCode::kRefused,
          fmt::format("{}: {}. Finished runs are left as they are: choose another folder with "
                      "--out DIR, or delete this one",
                      file.string(), why)};
}

// Results of two programs are not mixed: other defaults would hide in the same words.
json stamp(const std::string& program) {
  return {{"format", kFormat}, {"program", program}, {"defaults", digest(Job{})}};
}

std::string difference(const json& found, const json& own) {
  const auto text = [](const json& j, const char* key) {
    return j.contains(key) ? j.at(key).dump() : "none";
  };
  if (text(found, "format") != text(own, "format")) {
    return fmt::format("has format {}, and this program writes {}", text(found, "format"),
                       text(own, "format"));
  }
  if (text(found, "program") != text(own, "program")) {
    return fmt::format("was written by {}, and this is {}", text(found, "program"),
                       text(own, "program"));
  }
  return text(found, "defaults") == text(own, "defaults")
             ? ""
             : "was written by another build of this program, with other defaults of a job";
}

Result<json> read_json(const fs::path& file) {
  FEDVS_TRY(const std::string text, read_file(file));
  json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return Error{ErrorCode::kCorrupt, fmt::format("{} is no JSON object", file.string())};
  }
  return parsed;
}

// Whether there is nothing in a folder but, maybe, `name`.
bool holds_only(const fs::path& folder, const fs::path& name) {
  std::error_code failure;
  auto entry = fs::directory_iterator(folder, failure);
  for (; !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    if (entry->path().filename() != name) return false;
  }
  return !failure;
}

Study with_figures_of(Study study, const std::optional<Study>& before) {
  if (!before) return study;
  for (const auto& figure : before->figures) {
    if (std::ranges::find(study.figures, figure.key, &Figure::key) == study.figures.end()) {
      study.figures.push_back(figure);
    }
  }
  std::ranges::sort(study.figures, {}, &Figure::key);
  return study;
}

}  // namespace

// As it is before a first start, or after one that was ended before it wrote study.json.
bool Folder::is_free() const {
  std::error_code failure;
  const auto runs = lock_file().parent_path();
  if (!fs::exists(fs::status(path_, failure))) return true;
  return holds_only(path_, runs.filename()) &&
         (!fs::exists(fs::status(runs, failure)) || holds_only(runs, lock_file().filename()));
}

Result<std::optional<Study>> Folder::earlier(const Study& study, const std::string& program) const {
  FEDVS_TRY(const bool begun, is_there(study_file()));
  if (!begun) {
    if (!is_free()) return refused(path_, "there is something else here");
    return std::optional<Study>();
  }
  const auto found = read_json(study_file());
  if (!found) return refused(study_file(), found.error().message);
  if (const auto why = difference(*found, stamp(program)); !why.empty()) {
    return refused(study_file(), why);
  }
  auto before = study_from(*found);
  if (!before) return refused(study_file(), before.error().message);
  if (before->kind != study.kind) {
    return refused(study_file(), fmt::format("is of a {}, not of a {}", before->kind, study.kind));
  }
  return std::optional(std::move(*before));
}

Status Folder::check_job(const Trial& trial) const {
  const auto file = job_file(trial.name);
  FEDVS_TRY(const bool begun, is_there(file));
  if (!begun) return {};
  FEDVS_TRY(const std::string text, read_file(file));
  const auto job = parse_job(text, file.string());
  if (!job) return refused(file, job.error().message);
  if (digest(*job) != digest(trial.job)) {
    return refused(file, "describes another job than the run of this name now does");
  }
  return {};
}

Result<std::optional<Study>> Folder::check(const Plan& plan, const std::string& program) const {
  FEDVS_TRY(auto before, earlier(plan.study, program));
  for (const auto& trial : plan.trials) FEDVS_TRY_STATUS(check_job(trial));
  return before;
}

Status Folder::make() const {
  std::error_code failure;
  fs::create_directories(path_ / "runs", failure);
  if (!failure) return {};
  return Error{ErrorCode::kBadFile,
               fmt::format("cannot make the folder {}: {}; choose another place with --out DIR",
                           path_.string(), failure.message())};
}

Result<Study> Folder::prepare(const Plan& plan, const std::string& program) const {
  FEDVS_TRY(const auto before, check(plan, program));
  FEDVS_TRY_STATUS(make());
  Study whole = with_figures_of(plan.study, before);
  json written = stamp(program);
  written.update(to_json(whole));
  FEDVS_TRY_STATUS(write_atomically(study_file(), std::string_view(written.dump(1) + "\n")));
  return whole;
}

Result<Study> Folder::read() const {
  FEDVS_TRY(const json found, read_json(study_file()));
  if (found.value("format", json()) != json(kFormat)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} has format {}, and this program reads {}", study_file().string(),
                             found.value("format", json()).dump(), kFormat)};
  }
  auto study = study_from(found);
  if (study) return study;
  return Error{study.error().code,
               fmt::format("{}: {}", study_file().string(), study.error().message)};
}

bool Folder::has_result(const std::string& trial) const {
  std::error_code failure;
  return fs::exists(result_file(trial), failure);
}

Status Folder::keep_result(const Trial& trial, json result) const {
  result["job"] = digest(trial.job);
  const std::string text = result.dump(1) + "\n";
  return write_atomically(result_file(trial.name), std::string_view(text));
}

Status Folder::adopt_ended(const Trial& trial) const {
  std::error_code failure;
  const fs::path summary = run(trial.name) / "summary.json";
  if (has_result(trial.name) || !fs::exists(summary, failure)) return {};
  FEDVS_TRY(const json said, read_json(summary));
  return keep_result(trial, said);
}

Result<json> Folder::result(const std::string& trial) const {
  return read_json(result_file(trial));
}

}  // namespace fedvs::experiments
