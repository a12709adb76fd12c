// fedvs train: a job, all parties in this process under the virtual clock.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

#include "fedvs/base/abandoned_files.h"
#include "fedvs/base/files.h"
#include "fedvs/base/human.h"
#include "fedvs/base/local_time.h"
#include "fedvs/base/log.h"
#include "fedvs/base/proc.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/baselines/plain_trial.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/job_options.h"
#include "fedvs/cli/pages.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/data_digest.h"
#include "fedvs/job/presets.h"
#include "fedvs/job/print.h"
#include "fedvs/party/exposure_log.h"
#include "fedvs/protocol/costs.h"
#include "fedvs/run/summary.h"
#include "fedvs/run/trained_run.h"
#include "fedvs/sim/memory.h"
#include "fedvs/sim/world.h"

namespace fedvs::cli {
namespace {

std::string default_folder(const Job& job) {
  return fmt::format("runs/{}-{}-{}", job.data.name, word(job.method), time_stamp());
}

// What was chosen automatically, spelled out, so that job.toml alone determines the run.
Job spelled_out(Job job, const sim::Trial& trial) {
  job.data.clients = trial.client_count();
  const auto* world = dynamic_cast<const sim::World*>(&trial);
  if (world == nullptr) return job;
  const auto& a = world->agreement();
  job.code.blocks = a.shape.blocks;
  job.code.l_x = a.scales.l_x;
  job.code.l_w = a.scales.l_w;
  return job;
}

// A training that does not fit is better told now than killed by the system in an hour.
void warn_of_memory(const protocol::Agreement& a, const Job& job) {
  const double needed = sim::memory_of(a, job).simulation;
  const auto free = static_cast<double>(free_memory_bytes());
  if (free == 0 || needed <= free) return;
  log::warning(
      "this training takes about {} of memory, and {} are free (fedvs plan shows what "
      "takes it); fewer columns or a larger code.K take less",
      human_bytes(needed), human_bytes(free));
}

void announce_coded(run::Progress& progress, const Job& job, const protocol::Agreement& a) {
  progress.line(fmt::format(
      "{} on {}: N = {} clients, K = {}, T = {}: any R = {} uploads open a round, {} may be late; "
      "ring {}, l_x = {}, l_w = {}, h = {}",
      word(job.method), job.data.name, a.shape.parties, a.shape.blocks, a.shape.colluding,
      a.shape.threshold(), a.shape.stragglers(), a.ring.name(), a.scales.l_x, a.scales.l_w,
      a.width));
  party::log_exposure(protocol::exposure_of(a));
  warn_of_memory(a, job);
  progress.line(fmt::format("sharing the data: {} from every client to each of the other {}",
                            human_bytes(protocol::costs_of(a).data_share), a.shape.parties - 1));
}

void announce(run::Progress& progress, const Job& job, const sim::Trial& trial) {
  if (const auto* world = dynamic_cast<const sim::World*>(&trial)) {
    return announce_coded(progress, job, world->agreement());
  }
  progress.line(fmt::format(
      "{} on {}: plaintext split learning of {} clients, networks {}, aggregation {}, h = {}",
      word(job.method), job.data.name, trial.client_count(), job.model.client,
      word(job.model.aggregation), job.model.width));
}

// What the numbers of the classes stand for.
Status write_classes(const run::RunFolder& folder, const std::vector<std::string>& names) {
  std::string text = "class,label\n";
  for (std::size_t c = 0; c < names.size(); ++c) text += fmt::format("{},{}\n", c, names[c]);
  return write_atomically(folder.path() / "classes.csv", text);
}

struct Run {
  std::unique_ptr<sim::Trial> trial;
  run::RunFolder folder;
  run::SavedRun saved;  // as it was saved last
};

struct Loaded {
  data::PreparedJob prepared;
  data::DataDigest digest;
};

// `before`: what the run of `job_file` was begun with, if it was. kRefused if that is not what is
// here now.
Result<Loaded> load_prepared(const Job& job, const std::optional<data::DataDigest>& before = {},
                             const std::string& job_file = {}) {
  FEDVS_TRY(const auto set, data::load(job.data));
  FEDVS_TRY(auto digest, data::digest_of(set, job.data));
  if (const auto changed = before ? data::what_changed(*before, digest, set) : "";
      !changed.empty()) {
    return Error{ErrorCode::kRefused,
                 fmt::format("this run was begun with other data: {} changed since. Put the data "
                             "of its start back, or begin a new run: fedvs train --job {}",
                             changed, job_file)};
  }
  FEDVS_TRY(auto prepared, data::prepare(set, job.data));
  return Loaded{std::move(prepared), std::move(digest)};
}

Result<std::unique_ptr<sim::Trial>> make_trial(const Job& job, data::PreparedJob prepared,
                                               run::Recorder& recorder) {
  if (!is_coded(job)) return baselines::make_plain_trial(job, std::move(prepared), recorder);
  FEDVS_TRY(auto world, sim::World::create(job, std::move(prepared), recorder));
  return std::unique_ptr<sim::Trial>(std::move(world));
}

bool names_data(const JobOptions& o) {
  return !o.job_file.empty() || !o.data.empty() ||
         std::ranges::any_of(o.sets, [](const auto& set) { return set.starts_with("data.name"); });
}

// Everything that can be wrong with the job is found before the run folder is made.
Result<Run> start(const TrainOptions& options, run::Progress& progress, run::Recorder& recorder) {
  if (!names_data(options.job)) {
    return Error{ErrorCode::kBadJob,
                 "what to train on? Name a job file with --job FILE, a data set with --data NAME "
                 "(fedvs data list) or your own CSV with --data FILE --label COLUMN --clients N"};
  }
  FEDVS_TRY(Job job, job_from(options.job));
  FEDVS_TRY(auto loaded, load_prepared(job));
  run::SavedRun saved;
  saved.preparation = run::Preparation::of(loaded.prepared);
  saved.data = std::move(loaded.digest);
  FEDVS_TRY(auto trial, make_trial(job, std::move(loaded.prepared), recorder));
  announce(progress, job, *trial);
  job = spelled_out(job, *trial);
  FEDVS_TRY(auto folder,
            run::RunFolder::create(options.out.empty() ? default_folder(job) : options.out, job));
  FEDVS_TRY_STATUS(write_classes(folder, saved.preparation.class_names));
  FEDVS_TRY(auto events, run::EventLog::create(folder.events_file()));
  FEDVS_TRY(auto metrics, run::MetricsLog::create(folder.metrics_file()));
  recorder.attach(*trial, std::move(events), std::move(metrics));
  return Run{std::move(trial), std::move(folder), std::move(saved)};
}

Result<Run> resume(const TrainOptions& options, run::Progress& progress, run::Recorder& recorder) {
  FEDVS_TRY(auto folder, run::RunFolder::open(options.resume));
  remove_abandoned_files(folder.path());
  FEDVS_TRY(auto saved, run::load_run(folder));
  if (saved.totals.finished) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("{} is finished; start a new run with its job: fedvs train --job {}",
                             options.resume, folder.job_file().string())};
  }
  if (!saved.data)
    log::warning(
        "this run was begun by an earlier version, which kept no digest "
        "of its data: whether the data is still the same is not checked");
  FEDVS_TRY(auto loaded, load_prepared(folder.job(), saved.data, folder.job_file().string()));
  saved.data = std::move(loaded.digest);
  FEDVS_TRY(auto trial, make_trial(folder.job(), std::move(loaded.prepared), recorder));
  announce(progress, folder.job(), *trial);
  FEDVS_TRY_STATUS(trial->restore(saved.parts));
  const auto round = static_cast<std::int64_t>(saved.totals.rounds);
  FEDVS_TRY(auto events, run::EventLog::resume(folder.events_file(), round));
  FEDVS_TRY(auto metrics, run::MetricsLog::resume(folder.metrics_file(), round));
  recorder.attach(*trial, std::move(events), std::move(metrics));
  recorder.totals() = saved.totals;
  progress.line(fmt::format("resumed after round {}", saved.totals.rounds));
  return Run{std::move(trial), std::move(folder), std::move(saved)};
}

// With train.patience, the models of the best epoch are kept beside the newest.
Status save(Run& run, run::Recorder& recorder) {
  run::SavedRun& saved = run.saved;
  saved.parts = run.trial->save();
  if (recorder.take_best_ended() && run::keeps_best(run.folder.job())) {
    saved.kept = run::models_of(saved.parts);
  }
  saved.totals = recorder.totals();
  saved.totals.wall_seconds = recorder.wall_seconds();
  saved.totals.finished = run.trial->done();
  return run::save_run(run.folder, saved);
}

// Trains to the end, saving after every epoch; or to the end of the round in which a stop was
// asked.
Status train_to_end(Run& run, run::Recorder& recorder) {
  Status saved;
  run.trial->run([&] {
    if (recorder.take_epoch_ended()) saved = save(run, recorder);
    const bool stop = recorder.take_round_ended() && stop_requested();
    return stop || !saved || !recorder.status();
  });
  FEDVS_TRY_STATUS(saved);
  FEDVS_TRY_STATUS(recorder.status());
  const Status status = run.trial->status();
  if (status || status.error().code == ErrorCode::kStopped) FEDVS_TRY_STATUS(save(run, recorder));
  return status;
}

// The training is not lost with its page.
void leave_report(const std::string& run) {
  const auto written = write_run_page(run, std::filesystem::path(run) / "report.html");
  if (!written) log::warning("no report.html: {}", written.error().message);
}

ExitStatus report(const Error& error, bool json) {
  if (json) {
    nlohmann::json said = {{"error", error.message}};
    if (error.code == ErrorCode::kCorrupt) said["corrupt"] = true;
    std::cout << said.dump() << "\n";
  } else {
    std::cerr << "fedvs train: " << error.message << "\n";
  }
  return exit_status(error);
}

}  // namespace

ExitStatus train(const TrainOptions& options) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  ThreadPool::set_default_threads(options.threads > 0 ? options.threads : std::max(1, cores));
  if (options.print_job) {
    auto job = job_from(options.job);
    if (!job) return report(job.error(), options.json);
    std::cout << print_job(*job);
    return kOk;
  }
  run::Progress progress(options.json);
  run::Recorder recorder(progress);
  auto run = options.resume.empty() ? start(options, progress, recorder)
                                    : resume(options, progress, recorder);
  if (!run) return report(run.error(), options.json);
  catch_stop_signals();
  const std::string path = run->folder.path().string();
  if (const auto status = train_to_end(*run, recorder); !status) {
    if (status.error().code != ErrorCode::kStopped) return report(status.error(), options.json);
    return report({ErrorCode::kStopped,
                   fmt::format("stopped and saved; go on with: fedvs train --resume {}", path)},
                  options.json);
  }
  const Job& job = run->folder.job();
  const auto summary = run::summary_json(job, *run->trial, recorder, path);
  if (const auto kept = write_atomically(run->folder.path() / "summary.json",
                                         std::string_view(summary.dump(1) + "\n"));
      !kept) {
    return report(kept.error(), options.json);
  }
  if (!options.no_report) leave_report(path);
  if (options.json) {
    std::cout << summary.dump() << "\n";
  } else {
    progress.line(run::summary_text(job, *run->trial, recorder, path));
  }
  return kOk;
}

}  // namespace fedvs::cli
