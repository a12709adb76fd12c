// fedvs server: the networked run's server, with the labels.
#include <fmt/format.h>

#include <ctime>
#include <iostream>

#include "fedvs/base/files.h"
#include "fedvs/base/log.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/pages.h"
#include "fedvs/cli/recorder.h"
#include "fedvs/cli/score.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/party/server_party.h"
#include "fedvs/party/status_server.h"
#include "fedvs/store/run_folder.h"

namespace fedvs::cli {
namespace {

Result<store::RunFolder> run_folder(const std::filesystem::path& path, const Job& job) {
  if (std::filesystem::exists(path / "job.toml")) return store::RunFolder::open(path);
  return store::RunFolder::create(path, job);
}

// Goes on with the logs of a run that began before.
Status attach(Recorder& recorder, party::ServerParty& server, const store::RunFolder& folder) {
  if (const std::string* saved = server.saved_totals()) {
    FEDVS_TRY(recorder.totals(), RunTotals::parse(*saved));
  }
  const auto round = static_cast<std::int64_t>(recorder.totals().rounds);
  const bool resumed = std::filesystem::exists(folder.events_file());
  FEDVS_TRY(auto events, resumed ? store::EventLog::resume(folder.events_file(), round)
                                 : store::EventLog::create(folder.events_file()));
  FEDVS_TRY(auto metrics, resumed ? store::MetricsLog::resume(folder.metrics_file(), round)
                                  : store::MetricsLog::create(folder.metrics_file()));
  recorder.attach(server, std::move(events), std::move(metrics));
  server.totals = [&recorder] { return recorder.totals().save(); };
  return {};
}

Result<std::unique_ptr<party::ServerParty>> make_party(const ServerOptions& options,
                                                       Recorder& recorder) {
  FEDVS_TRY(auto identity, identity::load_server_folder(options.dir, std::time(nullptr)));
  FEDVS_TRY(const auto address,
            identity::parse_address(options.listen.empty() ? identity.roster.server.text()
                                                           : options.listen));
  FEDVS_TRY_STATUS(identity::check_trial(identity.roster, address));
  FEDVS_TRY(
      const auto labels,
      data::read_label_csv(options.labels, {.label_column = options.label,
                                            .by_subject = identity.job.data.split == "subject"}));
  return party::ServerParty::create(std::move(identity), labels,
                                    {.folder = options.dir,
                                     .listen = address.text(),
                                     .wait_for_clients = options.wait,
                                     .stop = stop_requested},
                                    recorder);
}

// The status endpoint, and the file that says where it is, for as long as the server runs.
class ShownStatus {
 public:
  static Result<std::unique_ptr<ShownStatus>> at(const ServerOptions& options,
                                                 const party::ServerParty& server) {
    FEDVS_TRY(auto endpoint,
              party::StatusServer::listen(options.status, [&server] { return server.status(); }));
    const auto file = party::status_address_file(options.dir);
    FEDVS_TRY_STATUS(write_atomically(file, std::string_view(endpoint->address() + "\n")));
    return std::unique_ptr<ShownStatus>(new ShownStatus(std::move(endpoint), file));
  }
  ~ShownStatus() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

 private:
  ShownStatus(std::unique_ptr<party::StatusServer> endpoint, std::filesystem::path file)
      : endpoint_(std::move(endpoint)), file_(std::move(file)) {}
  std::unique_ptr<party::StatusServer> endpoint_;
  std::filesystem::path file_;
};

std::string ending(const Recorder& recorder, const std::string& run) {
  const auto& test = recorder.test_metrics();
  return fmt::format("the run is complete: {}report {}/report.html",
                     test ? fmt::format("test accuracy {:.2f} %, ", 100 * test->accuracy) : "",
                     run);
}

Status serve(const ServerOptions& options, Progress& progress) {
  if (options.labels.empty() == options.predict.empty()) {
    return Error{ErrorCode::kBadJob, "give --labels to train, or --predict to score rows"};
  }
  if (!options.predict.empty()) return score(options, progress);
  Recorder recorder(progress);
  FEDVS_TRY(auto server, make_party(options, recorder));
  if (server->finished_before()) {  // no failure: a service manager may start it again
    progress.line(fmt::format("this run was finished before; to train anew, move {}/state and the "
                              "run folder away",
                              options.dir));
    return {};
  }
  std::filesystem::path out = options.out;
  if (out.empty()) out = std::filesystem::path(options.dir) / "run";
  FEDVS_TRY(const auto folder, run_folder(out, server->job()));
  FEDVS_TRY_STATUS(attach(recorder, *server, folder));
  FEDVS_TRY_STATUS(server->listen());
  progress.line(fmt::format("listening at port {}; {} clients are expected", server->port(),
                            server->client_count()));
  FEDVS_TRY(const auto shown, ShownStatus::at(options, *server));
  catch_stop_signals();
  const Status status = server->run();
  if (const auto page = write_run_page(out.string(), out / "report.html"); !page && status) {
    log::warning("no report.html: {}", page.error().message);
  }
  FEDVS_TRY_STATUS(recorder.status());
  FEDVS_TRY_STATUS(status);
  progress.line(ending(recorder, out.string()));
  return {};
}

}  // namespace

ExitStatus server(const ServerOptions& options) {
  ThreadPool::set_default_threads(std::max(1, options.threads));
  Progress progress(false, "after");
  const Status status = serve(options, progress);
  if (status) return kOk;
  std::cerr << "fedvs server: " << status.error().message << "\n";
  if (status.error().code == ErrorCode::kStopped) {
    std::cerr << "start it again with the same command to go on\n";
  }
  return exit_status(status.error());
}

}  // namespace fedvs::cli
