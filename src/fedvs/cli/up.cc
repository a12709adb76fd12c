// fedvs up: the server and the clients of a job as processes of this machine, over real sockets.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "fedvs/cli/commands.h"
#include "fedvs/cli/job_options.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/cli/time_stamp.h"
#include "fedvs/cli/up_ending.h"
#include "fedvs/cli/up_view.h"
#include "fedvs/store/metrics_log.h"
#include "fedvs/store/run_folder.h"
#include "fedvs/study/folder_lock.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{100};

bool names_job(const JobOptions& o) {
  return !o.job_file.empty() || !o.data.empty() || o.clients || o.epochs || o.colluding ||
         !o.label.empty() || !o.sets.empty();
}

Result<UpFolder> folder_of(const UpOptions& options) {
  if (names_job(options.job)) {
    FEDVS_TRY(const Job job, job_from(options.job));
    return UpFolder::make(job, options.dir.empty() ? "runs/up-" + time_stamp() : options.dir);
  }
  if (!options.dir.empty()) return UpFolder::open(options.dir);
  return Error{ErrorCode::kBadJob,
               "what to train on? Name a data set with --data NAME (fedvs data list), a job with "
               "--job FILE, or go on with a folder of before: --dir DIR"};
}

void carry_out(Ending::Order order, Parties& parties, UpView& view) {
  switch (order) {
    case Ending::Order::kNone:
      return;
    case Ending::Order::kAskServer:
      view.say("Stopping after this round; once more to stop at once");
      return parties.server().process.send(SIGTERM);
    case Ending::Order::kAskAll:
      return parties.send_all(SIGTERM);
    case Ending::Order::kKillAll:
      return parties.send_all(SIGKILL);
  }
}

void watch_to_the_end(Parties& parties, UpView& view) {
  const auto started = std::chrono::steady_clock::now();
  Ending ending;
  while (!parties.all_ended()) {
    const std::chrono::duration<double> now = std::chrono::steady_clock::now() - started;
    carry_out(ending.next(now.count(), stop_signals_counted(), parties.server().status()), parties,
              view);
    view.show(parties);
    std::this_thread::sleep_for(kPause);
  }
  view.show(parties);
}

// Of the last evaluation on test rows; NaN if there was none.
double accuracy_in(const fs::path& run) {
  const auto folder = store::RunFolder::open(run);
  if (!folder) return std::nan("");
  const auto rows = store::read_metrics(folder->metrics_file());
  if (!rows) return std::nan("");
  double accuracy = std::nan("");
  for (const auto& row : *rows) {
    if (!std::isnan(row.test_accuracy)) accuracy = row.test_accuracy;
  }
  return accuracy;
}

std::string report_in(const fs::path& run) {
  std::error_code failure;
  const fs::path page = run / "report.html";
  return fs::exists(page, failure) ? page.string() : "";
}

json summary(const UpFolder& folder, Parties& parties) {
  json clients = json::object();
  for (auto& party : parties.all()) clients[party.name] = *party.status();
  const double accuracy = accuracy_in(folder.run_folder());
  return {{"dir", folder.path().string()},
          {"run", folder.run_folder().string()},
          {"report", report_in(folder.run_folder())},
          {"test_accuracy", std::isnan(accuracy) ? json() : json(accuracy)},
          {"exit_statuses", clients}};
}

std::string text_of(const json& summary, int status) {
  std::string text;
  const std::string dir = summary["dir"];
  if (summary["test_accuracy"].is_number()) {
    text += fmt::format("{:.2f} % test accuracy\n", 100 * summary["test_accuracy"].get<double>());
  }
  if (const std::string report = summary["report"]; !report.empty()) {
    text += fmt::format("report  {}\n", report);
  }
  text += fmt::format("run     {}\nlogs    {}\n", summary["run"].get<std::string>(),
                      (fs::path(dir) / "logs").string());
  if (status != kOk) {
    text += fmt::format("Go on: {}\n", shell_command({"up", "--dir", dir}));
  }
  return text;
}

ExitStatus status_of(int server_status) {
  switch (server_status) {
    case kOk:
    case kBadUsage:
    case kStoppedAndSaved:
    case kBelowThreshold:
    case kRefusedExit:
      return static_cast<ExitStatus>(server_status);
    default:  // also one that was killed
      return kFailed;
  }
}

Result<ExitStatus> run_parties(const UpOptions& options) {
  FEDVS_TRY(const auto folder, folder_of(options));
  FEDVS_TRY(const auto lock, study::FolderLock::take(folder.path(), folder.lock_file(), "--dir"));
  UpView view(folder, options.json);
  count_stop_signals();
  FEDVS_TRY(auto parties, Parties::start(folder));
  view.begin(parties);
  watch_to_the_end(parties, view);
  const int status = *parties.server().status();
  const json said = summary(folder, parties);
  std::cout << (options.json ? said.dump() + "\n" : text_of(said, status));
  return status_of(status);
}

}  // namespace

ExitStatus up(const UpOptions& options) {
  const auto status = run_parties(options);
  if (status) return *status;
  std::cerr << "fedvs up: " << status.error().message << "\n";
  if (options.json) std::cout << json{{"error", status.error().message}}.dump() << "\n";
  return exit_status(status.error());
}

}  // namespace fedvs::cli
