// fedvs server: the networked run's server, with the labels.
#include "fedvs/status/server.h"

#include <fmt/format.h>

#include <ctime>
#include <iostream>

#include "fedvs/base/abandoned_files.h"
#include "fedvs/base/files.h"
#include "fedvs/base/log.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/pages.h"
#include "fedvs/cli/score.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/party/server_party.h"
#include "fedvs/run/recorder.h"
#include "fedvs/run/run_folder.h"

namespace fedvs::cli {
namespace {

// The one of a run that began before is this run's, in whatever condition it is.
Result<run::RunFolder> run_folder(const std::filesystem::path& path,
                                  const party::ServerParty& server) {
  const bool began = server.saved_totals() != nullptr || std::filesystem::exists(path / "job.toml");
  return began ? run::RunFolder::mend(path, server.job())
               : run::RunFolder::create(path, server.job());
}

// Goes on with the logs of a run that began before.
Status attach(run::Recorder& recorder, party::ServerParty& server, const run::RunFolder& folder) {
  if (const std::string* saved = server.saved_totals()) {
    FEDVS_TRY(recorder.totals(), run::RunTotals::parse(*saved));
  }
  const auto round = static_cast<std::int64_t>(recorder.totals().rounds);
  FEDVS_TRY(auto events, run::EventLog::resume(folder.events_file(), round));
  FEDVS_TRY(auto metrics, run::MetricsLog::resume(folder.metrics_file(), round));
  recorder.attach(server, std::move(events), std::move(metrics));
  server.totals = [&recorder] { return recorder.totals().save(); };
  return {};
}

Result<std::unique_ptr<party::ServerParty>> make_party(const ServerOptions& options,
                                                       run::Recorder& recorder) {
  FEDVS_TRY(auto identity, deploy::load_server_folder(options.dir, std::time(nullptr)));
  FEDVS_TRY(const auto address,
            deploy::parse_address(options.listen.empty() ? identity.roster.server.text()
                                                         : options.listen));
  FEDVS_TRY_STATUS(deploy::check_trial(identity.roster, address));
  FEDVS_TRY(
      const auto labels,
      data::read_label_csv(options.labels, {.label_column = options.label,
                                            .by_subject = identity.job.data.split == "subject"}));
  return party::ServerParty::create(std::move(identity), labels,
                                    {.folder = options.dir,
                                     .listen = address.text(),
                                     .wait_for_clients = options.wait,
                                     .linger = options.linger,
                                     .stop = stop_requested},
                                    recorder);
}

// The status endpoint, and the file that says where it is, for as long as the server runs.
class ShownStatus {
 public:
  static Result<std::unique_ptr<ShownStatus>> at(const ServerOptions& options,
                                                 const party::ServerParty& server) {
    FEDVS_TRY(auto endpoint,
              status::StatusServer::listen(options.status, [&server] { return server.status(); }));
    const auto file = status::status_address_file(options.dir);
    FEDVS_TRY_STATUS(write_atomically(file, std::string_view(endpoint->address() + "\n")));
    return std::unique_ptr<ShownStatus>(new ShownStatus(std::move(endpoint), file));
  }
  ~ShownStatus() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

 private:
  ShownStatus(std::unique_ptr<status::StatusServer> endpoint, std::filesystem::path file)
      : endpoint_(std::move(endpoint)), file_(std::move(file)) {}
  std::unique_ptr<status::StatusServer> endpoint_;
  std::filesystem::path file_;
};

// Clients keep the versions of the last evaluation and no others, and rows are scored with them
// alone (docs/deploy.md): an earlier epoch cannot be gone back to over the network.
std::string last_is_kept(const Job& job, const run::Recorder& recorder) {
  const auto& best = recorder.totals().best;
  if (job.train.patience == 0 || !best || best->epoch == recorder.epoch()) return "";
  return fmt::format(
      "; the model is that of the last epoch, {}, since clients keep the versions of the last "
      "evaluation only; the lowest validation loss, {:.4f}, was that of epoch {}",
      recorder.epoch(), best->validation_loss, best->epoch);
}

std::string ending(const Job& job, const run::Recorder& recorder, const std::string& run) {
  const auto& test = recorder.test_metrics();
  return fmt::format("the run is complete: {}report {}/report.html{}",
                     test ? fmt::format("test accuracy {:.2f} %, ", 100 * test->accuracy) : "", run,
                     last_is_kept(job, recorder));
}

// A run may end well though clients were away and the others' models stood still for it.
void say_who_did_not_learn(const party::ServerParty& server, const run::Recorder& recorder,
                           run::Progress& progress) {
  const auto status = server.status();
  if (status.idle.rounds == 0) return;
  progress.line(fmt::format(
      "! no client learned in {} of {} rounds ({} of {} epochs from end to end), since clients "
      "were away",
      status.idle.rounds, recorder.totals().rounds, status.idle.epochs, server.epochs()));
}

std::string still_to_come(const party::ServerParty& server) {
  return fmt::format("{} {} not come for the last model, without which rows cannot be scored",
                     fmt::join(server.unsaved(), ", "),
                     server.unsaved().size() == 1 ? "has" : "have");
}

void say_who_must_come(const party::ServerParty& server, run::Progress& progress) {
  if (server.unsaved().empty()) return;
  progress.line(fmt::format("{}: start this server again with the same command, and them",
                            still_to_come(server)));
}

// No failure: a service manager may start it again. Whoever was away at the end may come now.
Status serve_again(const ServerOptions& options, party::ServerParty& server,
                   run::Progress& progress) {
  if (server.unsaved().empty()) {
    progress.line(
        fmt::format("this run was finished before; to train anew, move {}/state and the "
                    "run folder away",
                    options.dir));
    return {};
  }
  server.totals = [saved = *server.saved_totals()] { return saved; };
  FEDVS_TRY_STATUS(server.listen());
  progress.line(fmt::format("this run was finished before, but {}; waiting at port {}",
                            still_to_come(server), server.port()));
  FEDVS_TRY(const auto shown, ShownStatus::at(options, server));
  catch_stop_signals();
  FEDVS_TRY_STATUS(server.run());
  say_who_must_come(server, progress);
  return {};
}

Status serve(const ServerOptions& options, run::Progress& progress) {
  if (options.labels.empty() == options.predict.empty()) {
    return Error{ErrorCode::kBadJob, "give --labels to train, or --predict to score rows"};
  }
  remove_abandoned_files(options.dir);
  if (!options.predict.empty()) return score(options, progress);
  run::Recorder recorder(progress);
  FEDVS_TRY(auto server, make_party(options, recorder));
  if (server->finished_before()) return serve_again(options, *server, progress);
  std::filesystem::path out = options.out;
  if (out.empty()) out = std::filesystem::path(options.dir) / "run";
  remove_abandoned_files(out);
  FEDVS_TRY(const auto folder, run_folder(out, *server));
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
  progress.line(ending(server->job(), recorder, out.string()));
  say_who_did_not_learn(*server, recorder, progress);
  say_who_must_come(*server, progress);
  return {};
}

}  // namespace

ExitStatus server(const ServerOptions& options) {
  ThreadPool::set_default_threads(std::max(1, options.threads));
  run::Progress progress(false, "after");
  const Status status = serve(options, progress);
  if (status) return kOk;
  std::cerr << "fedvs server: " << status.error().message << "\n";
  if (status.error().code == ErrorCode::kStopped) {
    std::cerr << "start it again with the same command to go on\n";
  }
  return exit_status(status.error());
}

}  // namespace fedvs::cli
