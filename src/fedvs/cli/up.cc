// fedvs up: the server and the clients of a job as processes of this machine, over real sockets.
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "fedvs/base/local_time.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/job_options.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/cli/up_ending.h"
#include "fedvs/cli/up_summary.h"
#include "fedvs/cli/up_view.h"
#include "fedvs/experiments/folder_lock.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;

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

ExitStatus show_summary(const UpFolder& folder, const std::map<std::string, int>& exit_statuses,
                        int server_status, const UpOptions& options) {
  const json summary = up_summary(folder, exit_statuses);
  std::cout << (options.json ? summary.dump() + "\n"
                             : up_summary_text(summary, server_status == kOk));
  return status_of(server_status);
}

Result<ExitStatus> run_parties(const UpOptions& options) {
  FEDVS_TRY(const auto folder, folder_of(options));
  FEDVS_TRY(const auto lock,
            experiments::FolderLock::take(folder.path(), folder.lock_file(), "--dir"));
  FEDVS_TRY(const bool finished_before, folder.finished());
  if (finished_before) return show_summary(folder, {}, kOk, options);
  UpView view(folder, options.json);
  count_stop_signals();
  FEDVS_TRY(auto parties, Parties::start(folder));
  view.begin(parties);
  watch_to_the_end(parties, view);
  std::map<std::string, int> statuses;
  for (auto& party : parties.all()) statuses[party.name] = *party.status();
  return show_summary(folder, statuses, statuses.at("server"), options);
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
