#include "fedvs/experiments/trial_process.h"

#include <fmt/format.h>

#include <csignal>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/experiments/there.h"
#include "fedvs/job/print.h"
#include "fedvs/run/run_folder.h"

namespace fedvs::experiments {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json parsed(const std::string& text) {
  json j = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return j.is_object() ? j : json::object();
}

std::string why_failed(const Child& child) {
  const json said = parsed(child.out());
  if (said.contains("error") && said["error"].is_string()) return said["error"];
  std::string words = child.err();
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const int status = child.exit_status();
  if (status == 128 + SIGKILL) return "was killed, maybe for want of memory: try --jobs 1";
  return fmt::format("ended with status {}{}{}", status, words.empty() ? "" : ": ", words);
}

Result<bool> can_resume(const Folder& folder, const Trial& trial) {
  const auto run = run::RunFolder::open(folder.run(trial.name));
  if (!run || trial.job.method == Method::kVafl) return false;
  return is_there(run->checkpoint_file());
}

}  // namespace

Result<TrialProcess> TrialProcess::start(const Folder& folder, Trial trial,
                                         const fs::path& program) {
  FEDVS_TRY(const bool resume, can_resume(folder, trial));
  TrialProcess process(folder, std::move(trial), program);
  FEDVS_TRY_STATUS(resume ? process.go_on() : process.begin_anew());
  return process;
}

Status TrialProcess::launch(std::vector<std::string> arguments) {
  for (const char* word : {"--threads", "1", "--json", "--no-report"}) arguments.push_back(word);
  FEDVS_TRY(Child child, Child::start(program_, arguments));
  child_.emplace(std::move(child));
  return {};
}

Status TrialProcess::go_on() {
  resumed_ = true;
  return launch({"train", "--resume", folder_->run(trial_.name).string()});
}

Status TrialProcess::begin_anew() {
  resumed_ = false;
  const auto run = folder_->run(trial_.name), job = folder_->job_file(trial_.name);
  std::error_code failure;
  fs::remove_all(run, failure);
  if (failure) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("cannot remove {}: {}", run.string(), failure.message())};
  }
  const std::string text = print_job(trial_.job);
  FEDVS_TRY_STATUS(write_atomically(job, std::string_view(text)));
  return launch({"train", "--job", job.string(), "--out", run.string()});
}

void TrialProcess::stop() {
  stopping_ = true;
  child_->send(SIGTERM);
}

double TrialProcess::seconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

Result<std::optional<TrialProcess::Ended>> TrialProcess::poll() {
  if (!child_->ended()) return std::optional<Ended>();
  return finish();
}

Result<std::optional<TrialProcess::Ended>> TrialProcess::finish() {
  const int status = child_->exit_status();
  if (stopping_ && status != 0)
    return std::optional(Ended{.stopped = true, .failure = {}, .result = {}});
  // Only a checkpoint that proves itself damaged is given up: whatever else is wrong, a full disk
  // or want of memory, may pass.
  if (status != 0 && resumed_ && parsed(child_->out()).value("corrupt", false)) {
    FEDVS_TRY_STATUS(begin_anew());
    return std::optional<Ended>();
  }
  if (status != 0) return std::optional(Ended{.failure = why_failed(*child_), .result = {}});
  Ended ended{.failure = {}, .result = parsed(child_->out())};
  ended.result["sweep_seconds"] = seconds();
  ended.result["cpu_seconds"] = child_->cpu_seconds();
  FEDVS_TRY_STATUS(folder_->keep_result(trial_, ended.result));
  return std::optional(std::move(ended));
}

}  // namespace fedvs::experiments
