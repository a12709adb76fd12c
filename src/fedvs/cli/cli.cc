#include "fedvs/cli/cli.h"

#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <new>

#include "fedvs/base/log.h"
#include "fedvs/base/suggest.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/version.h"
#include "fedvs/field/kernel.h"

namespace fedvs::cli {
namespace {

constexpr int kMostClients = 10000, kMostColumns = 1000000;
constexpr int kMostThreads = 1024;  // more than any machine has use for

void add_threads(CLI::App& command, int& threads, const std::string& help) {
  command.add_option("--threads", threads, help)
      ->check(CLI::Range(0, kMostThreads))
      ->type_name("N");
}

void add_job_options(CLI::App& command, JobOptions& job) {
  command.add_option("--job", job.job_file, "Job file (TOML); docs/job.md lists its keys")
      ->type_name("FILE");
  command.add_option("--data", job.data, "A built-in data set, or your own CSV file")
      ->type_name("NAME|FILE");
  command.add_option("--label", job.label, "Your own CSV: the column with the label")
      ->type_name("COLUMN");
  command.add_option("--clients", job.clients, "Number of clients N")
      ->check(CLI::Range(1, kMostClients));
  command.add_option("--colluding", job.colluding, "Clients that may collude, T");
  command.add_option("--set", job.sets, "Override a key of the job, as in train.lr=0.01")
      ->type_name("KEY=VALUE");
}

void add_sweep_options(CLI::App& command, StudyOptions& o) {
  command
      .add_option(
          "--seeds", o.seeds,
          "Runs of every setting, seeds 1 to n; default 5 (reproduce --quick and Table 1: 1)")
      ->check(CLI::PositiveNumber);
  command.add_option("--jobs", o.jobs, "Runs at a time; default one per core, if memory allows")
      ->check(CLI::PositiveNumber);
  command.add_flag("--dry-run", o.dry_run, "List the runs and the time they will take");
  command.add_flag("--json", o.json, "One JSON object on stdout at the end, no progress");
}

void add_train(CLI::App& app, TrainOptions& o) {
  auto* c = app.add_subcommand("train", "Run a job, all parties in this process");
  add_job_options(*c, o.job);
  c->add_option("--method", o.job.method,
                "fedvs, fedvs-paper, or plaintext: wait, ignore, vafl, wait-dp");
  c->add_option("--epochs", o.job.epochs, "Passes over the training rows");
  c->add_option("--seed", o.job.seed, "Draws delays, weights, batches and the row split");
  c->add_option("--out", o.out, "Run folder, made anew; default runs/<data>-<method>-<time>")
      ->type_name("DIR");
  auto* resume = c->add_option("--resume", o.resume, "Go on with a run that was stopped, as it was")
                     ->type_name("RUN");
  for (const char* other : {"--job", "--data", "--label", "--clients", "--colluding", "--set",
                            "--method", "--epochs", "--seed", "--out"}) {
    resume->excludes(c->get_option(other));
  }
  add_threads(*c, o.threads, "Threads; default all. Results do not depend on it");
  c->add_flag("--json", o.json, "One JSON object on stdout at the end, no progress");
  c->add_flag("--no-report", o.no_report, "Leave no report.html in the run folder");
  c->add_flag("--print-job", o.print_job, "Print the complete job and do nothing else")
      ->excludes(resume);
  c->footer(
      "Examples:\n"
      "  fedvs train --data fashion-mnist --epochs 5\n"
      "  fedvs train --data mine.csv --label churned --clients 4 --out runs/churn\n"
      "  fedvs train --resume runs/churn");
}

void add_compare(CLI::App& app, CompareOptions& o) {
  auto* c = app.add_subcommand("compare", "Several methods on the same data: charts and a table");
  add_job_options(*c, o.job);
  c->add_option("--methods", o.methods,
                "Of fedvs, fedvs-paper, wait, ignore, vafl, wait-dp; default all")
      ->delimiter(',')
      ->type_name("A,B,...");
  c->add_option("--epochs", o.job.epochs, "Passes over the training rows");
  c->add_option("--out", o.sweep.out, "Folder of all runs; default runs/compare-<data>")
      ->type_name("DIR");
  add_sweep_options(*c, o.sweep);
  c->footer(
      "Stopped by Ctrl-C, the same command goes on; runs that have ended are not run again.\n"
      "Examples:\n"
      "  fedvs compare --data handwritten\n"
      "  fedvs compare --data fashion-mnist --methods fedvs,wait,vafl --seeds 2 --epochs 5");
}

void add_reproduce(CLI::App& app, ReproduceOptions& o) {
  auto* c = app.add_subcommand("reproduce", "The paper's figures and table, run here");
  c->add_option("figure", o.figure, "fig1, table1, fig2, fig3, fig4 or all")->required();
  auto* quick = c->add_flag("--quick", o.quick, "Few epochs, one seed: minutes instead of hours");
  c->add_flag("--full", o.full, "Table 1 with five seeds, trained to the end: hours more")
      ->excludes(quick);
  c->add_option("--set", o.sets, "Override a key of every job, as in preset=paper")
      ->type_name("KEY=VALUE");
  c->add_option("--out", o.sweep.out, "Folder of all runs; default runs/reproduce (-quick)")
      ->type_name("DIR");
  add_sweep_options(*c, o.sweep);
  c->footer(
      "Stopped by Ctrl-C, the same command goes on; runs that have ended are not run again, and\n"
      "figures share the runs that they have in common.\n"
      "Examples:\n"
      "  fedvs reproduce all --quick\n"
      "  fedvs reproduce fig2 --seeds 2 --out runs/fig2\n"
      "  fedvs reproduce all --dry-run");
}

void add_report(CLI::App& app, ReportOptions& o) {
  auto* c = app.add_subcommand("report", "Make report.html of a run or a study again");
  c->add_option("folder", o.folder, "Folder of fedvs train, compare or reproduce")
      ->required()
      ->type_name("FOLDER");
  c->add_option("--out", o.out, "Page to write; default FOLDER/report.html")->type_name("FILE");
  c->add_option("--svg", o.svg, "Also every chart as SVG, into this folder")->type_name("DIR");
  c->add_option("--png", o.png, "Also every chart as PNG, into this folder")->type_name("DIR");
  c->footer("Example:\n  fedvs report runs/compare-handwritten --svg figures");
}

void add_data(CLI::App& app, DataOptions& o) {
  auto* c = app.add_subcommand("data", "List, check and describe data sets; export parties' files");
  c->add_option("action", o.action, "list, check, describe or export")
      ->required()
      ->check(CLI::IsMember({"list", "check", "describe", "export"}));
  c->add_option("name", o.name, "Data set; export: also your own CSV file, or synthetic")
      ->type_name("NAME|FILE");
  c->add_option("--out", o.out, "export: folder for client-1.csv ... and labels.csv, made anew")
      ->type_name("DIR");
  c->add_option("--clients", o.job.clients, "export: number of clients; default the set's own")
      ->check(CLI::Range(1, kMostClients));
  c->add_option("--label", o.job.label, "export of your own CSV: the column with the label")
      ->type_name("COLUMN");
  c->add_option("--set", o.job.sets, "export: override a key of the job, as in data.split=subject")
      ->type_name("KEY=VALUE");
  c->add_flag("--json", o.json, "JSON on stdout");
  c->footer(
      "Examples:\n  fedvs data list\n  fedvs data check fashion-mnist\n"
      "  fedvs data export credit-card --clients 5 --out parties");
}

void add_plan(CLI::App& app, PlanOptions& o) {
  auto* c = app.add_subcommand("plan", "What N, K, T and h cost, take and expose, before you run");
  add_job_options(*c, o.job);
  c->add_option("--straggling", o.straggling, "Stragglers S that a round must survive")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--rows", o.rows, "Data that is not here: how many rows")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
  c->add_option("--columns", o.columns, "and how many columns each client has")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostColumns))
      ->type_name("A,B,...");
  c->add_option("--classes", o.classes, "and how many classes")->check(CLI::Range(2, 1000));
  c->add_flag("--json", o.json, "JSON on stdout");
  c->footer(
      "s/round is the virtual time that a round takes; * marks the K of code.K = \"auto\".\n"
      "Examples:\n  fedvs plan --data fashion-mnist --clients 28 --straggling 10 --colluding 2\n"
      "  fedvs plan --job job.toml --set sim.client_gmacs=0.02\n"
      "  fedvs plan --job job.toml --rows 10000 --columns 12,30,7 --classes 2   # a networked job");
}

void add_predict(CLI::App& app, PredictOptions& o) {
  auto* c = app.add_subcommand("predict", "Score new rows with a trained run");
  c->add_option("run", o.run, "Run folder of fedvs train")->required()->type_name("RUN");
  c->add_option("--data", o.data,
                "CSV with the columns the run was trained on (several files of views: a,b), or IDX "
                "images")
      ->required()
      ->type_name("FILE");
  c->add_option("--out", o.out, "CSV to write; default stdout")->type_name("FILE");
  add_threads(*c, o.threads, "Threads; default 1");
  c->add_flag("--json", o.json, "JSON instead of CSV");
  c->footer("Example:\n  fedvs predict runs/churn --data new.csv --out scores.csv");
}

void add_bench(CLI::App& app, BenchOptions& o) {
  auto* c = app.add_subcommand("bench", "What this machine's kernels do, in half a minute");
  add_threads(*c, o.threads, "Threads of the round; default all");
  c->add_flag("--json", o.json, "One JSON object on stdout, no progress");
  c->footer(
      "FEDVS_KERNEL=portable, avx2, vnni or amx chooses the kernel of the round.\n"
      "Example:\n  fedvs bench --json");
}

void add_init(CLI::App& app, InitOptions& o) {
  constexpr int kMostDays = 3650;
  auto* c = app.add_subcommand("init", "Keys, certificates and roster for a networked job");
  auto* job = c->add_option("job", o.job_file, "Job file (TOML) to deploy")->type_name("JOB");
  auto* address = c->add_option("--server-address", o.server_address,
                                "Where clients reach the server; in a trial 127.0.0.1:7443")
                      ->type_name("HOST:PORT");
  auto* client = c->add_option("--client", o.clients, "Every client's name, in their order")
                     ->type_name("NAME");
  auto* set = c->add_option("--set", o.sets, "Override a key of the job, as in train.lr=0.01")
                  ->type_name("KEY=VALUE");
  auto* trial =
      c->add_flag("--trial", o.trial, "All folders and keys here, at once; for this machine only");
  auto* invitation_days =
      c->add_option("--invitation-days", o.invitation_days, "Invitations expire then; default 30")
          ->check(CLI::Range(1, kMostDays));
  auto* join =
      c->add_option("--join", o.join, "Client: make keys for this invitation")->type_name("FILE");
  auto* admit = c->add_option("--admit", o.admit, "Server: certify the clients of these requests")
                    ->type_name("FILE");
  auto* accept = c->add_option("--accept", o.accept, "Client: take this roster")->type_name("FILE");
  for (auto* step : {join, admit, accept}) {
    for (auto* other : {job, address, client, set, trial, invitation_days}) step->excludes(other);
  }
  join->excludes(admit)->excludes(accept);
  admit->excludes(accept);
  c->add_option("--dir", o.dir,
                "Folder: made anew (default deploy, --join: the client's name), or the one to "
                "admit or accept in")
      ->type_name("DIR");
  c->add_option("--days", o.days, "Clients' certificates are valid so long; default 365")
      ->check(CLI::Range(1, kMostDays));
  c->add_option("--fingerprint", o.fingerprint,
                "--accept: the roster's, as compared on the phone; else the first start asks")
      ->type_name("HEX")
      ->needs(accept);
  c->add_flag("--replace", o.replace, "--admit, --accept: other keys than before are meant");
  c->add_flag("--json", o.json, "One JSON object on stdout");
  c->footer(
      "Examples, in order:\n"
      "  fedvs init job.toml --server-address lab.example.org:7443 --client bank-a bank-b bank-c\n"
      "  fedvs init --join bank-a.invite                            # at each client\n"
      "  fedvs init --admit *.request --dir deploy/server           # at the server\n"
      "  fedvs init --accept roster.toml --dir bank-a               # at each client\n"
      "or, to try it on one machine:\n"
      "  fedvs init job.toml --trial --client a b c");
}

void add_server(CLI::App& app, ServerOptions& o) {
  auto* c = app.add_subcommand("server", "The server of a networked job, with the labels");
  c->add_option("--dir", o.dir, "The server's folder, of fedvs init")->required()->type_name("DIR");
  c->add_option("--labels", o.labels, "To train: CSV of row ids and labels")->type_name("FILE");
  c->add_option(
       "--predict", o.predict,
       "To score rows with the finished training: CSV of their ids, with or without labels")
      ->type_name("FILE");
  c->add_flag("--json", o.json, "Scores as one JSON object");
  c->add_option("--label", o.label, "Column with the label; default the only one")
      ->type_name("COLUMN");
  c->add_option("--listen", o.listen, "Where to listen; default the roster's address")
      ->type_name("HOST:PORT");
  c->add_option("--out", o.out,
                "Run folder, default DIR/run; or the file of scores, default stdout")
      ->type_name("PATH");
  c->add_option("--status", o.status,
                "Where fedvs status and /metrics ask; default a free port of this machine")
      ->type_name("HOST:PORT");
  c->add_option("--wait", o.wait,
                "Seconds to wait for clients to come, or to return when fewer than R are left; "
                "default 3600")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--linger", o.linger,
                "Seconds to stay after the end for clients that are away and lack their last "
                "model; default 10")
      ->check(CLI::NonNegativeNumber);
  add_threads(*c, o.threads, "Threads; default 1");
  c->footer(
      "Stopped (Ctrl-C, SIGTERM) or killed, the same command goes on with the run.\n"
      "Examples:\n  fedvs server --dir deploy/server --labels labels.csv\n"
      "  fedvs server --dir deploy/server --predict ids.csv --out scores.csv");
}

void add_client(CLI::App& app, ClientOptions& o) {
  auto* c = app.add_subcommand("client", "One client of a networked job, with its own columns");
  c->add_option("--dir", o.dir, "The client's folder, of fedvs init --join")
      ->required()
      ->type_name("DIR");
  c->add_option("--data", o.data, "CSV of row ids and this client's columns")
      ->required()
      ->type_name("FILE");
  c->add_option("--fingerprint", o.fingerprint,
                "The roster's, as compared with the other clients on the phone; at the first start")
      ->type_name("HEX");
  c->add_flag("--predict", o.predict, "These rows are to be scored with the finished training");
  c->add_option("--server", o.server, "Another way to the server than the roster's address")
      ->type_name("HOST:PORT");
  c->add_flag("--take-part-again", o.take_part_again,
              "Though it has refused to, for its data's sake: docs/deploy.md says when");
  c->add_option("--give-up", o.give_up, "Seconds without the server before it ends; default 1800")
      ->check(CLI::NonNegativeNumber);
  add_threads(*c, o.threads, "Threads; default 1");
  c->footer(
      "Stopped or killed, the same command goes on; the run waits for nobody.\n"
      "Examples:\n"
      "  fedvs client --dir bank-a --data mine.csv --fingerprint \"e2d0 1b77 ...\"  # at first\n"
      "  fedvs client --dir bank-a --data mine.csv\n"
      "  fedvs client --dir bank-a --data new.csv --predict");
}

void add_verify_evidence(CLI::App& app, VerifyEvidenceOptions& o) {
  auto* c = app.add_subcommand(
      "verify-evidence", "Whether a file proves that a server showed clients different plans");
  c->add_option("file", o.file, "evidence-N.json of a client's folder")
      ->required()
      ->type_name("FILE");
  c->add_option("--roster", o.roster, "Of the deployment: whether the key is its server's")
      ->type_name("FILE");
  c->footer("Examples:\n  fedvs verify-evidence bank-a/evidence-41.json --roster roster.toml");
}

void add_up(CLI::App& app, UpOptions& o) {
  auto* c = app.add_subcommand("up", "Server and clients as processes of this machine");
  add_job_options(*c, o.job);
  c->add_option("--epochs", o.job.epochs, "Passes over the training rows");
  c->add_option("--dir", o.dir,
                "Folder of all parties, made anew (default runs/up-<time>); without a job: go on "
                "with this one")
      ->type_name("DIR");
  c->add_flag("--json", o.json, "One JSON object on stdout at the end, no progress");
  c->footer(
      "Everybody's keys are made here, so this is for trials. Ctrl-C stops after the round under\n"
      "way and saves; a second one kills all parties.\n"
      "Examples:\n"
      "  fedvs up --data handwritten\n"
      "  fedvs up --data mine.csv --label churned --clients 4 --dir runs/four\n"
      "  fedvs up --dir runs/four                  # go on");
}

void add_status(CLI::App& app, StatusOptions& o) {
  auto* c = app.add_subcommand("status", "What a running server is doing, and who is late");
  auto* dir =
      c->add_option("--dir", o.dir, "The server's folder; default deploy/server")->type_name("DIR");
  c->add_option("--address", o.address, "The server's status address, without its folder")
      ->type_name("HOST:PORT")
      ->excludes(dir);
  c->add_flag("--watch", o.watch, "Again every second, until the run is done or Ctrl-C");
  c->add_flag("--json", o.json, "One JSON object on stdout; with --watch, one per line");
  c->footer(
      "Examples:\n"
      "  fedvs status --dir deploy/server\n"
      "  fedvs status --watch\n"
      "  fedvs status --address 127.0.0.1:9090 --json");
}

// CLI11 says only that a command is wanted, not that this is none.
void suggest_command(const std::vector<std::string>& words) {
  if (words.empty()) return;
  const std::string near =
      nearest(words[0], std::vector<std::string>{"train", "compare", "reproduce", "report", "data",
                                                 "plan", "predict", "bench", "init", "server",
                                                 "client", "up", "status", "verify-evidence"});
  std::cerr << "fedvs: there is no command \"" << words[0] << "\""
            << (near.empty() ? "" : "; did you mean \"" + near + "\"?") << "\n";
}

}  // namespace

// Keys, rows, shares and logs of a party are for its owner alone, whatever the umask was and
// whoever writes them.
static void keep_party_files_private(const CLI::App& app) {
  for (const char* command : {"init", "server", "client", "up"}) {
    if (app.got_subcommand(command)) ::umask(S_IRWXG | S_IRWXO);
  }
}

ExitStatus exit_status(const Error& error) {
  switch (error.code) {
    case ErrorCode::kBadJob:
    case ErrorCode::kBadShape:
      return kBadUsage;
    case ErrorCode::kStopped:
      return kStoppedAndSaved;
    case ErrorCode::kTooFewShares:
      return kBelowThreshold;
    case ErrorCode::kRefused:
      return kRefusedExit;
    default:
      return kFailed;
  }
}

int run(int argc, char** argv) {
  CLI::App app(
      "FedVS: train one model on columns that different owners keep to themselves.\n"
      "Nobody sees another's rows or models, and nobody waits for whoever is slow.",
      "fedvs");
  app.set_version_flag("--version", version());
  app.footer(
      "Example:\n  fedvs train --data synthetic --epochs 5\n"
      "fedvs COMMAND --help shows a command's options, with examples.");
  app.require_subcommand(1);
  app.fallthrough();
  std::string level = "info";
  app.add_option("--log-level", level, "debug, info, warning, error or off")
      ->check([](const std::string& name) {
        return log::set_level(name) ? "" : "use debug, info, warning, error or off";
      });
  TrainOptions train_options;
  CompareOptions compare_options;
  ReproduceOptions reproduce_options;
  ReportOptions report_options;
  DataOptions data_options;
  PlanOptions plan_options;
  PredictOptions predict_options;
  BenchOptions bench_options;
  InitOptions init_options;
  ServerOptions server_options;
  ClientOptions client_options;
  UpOptions up_options;
  StatusOptions status_options;
  VerifyEvidenceOptions evidence_options;
  add_train(app, train_options);
  add_compare(app, compare_options);
  add_reproduce(app, reproduce_options);
  add_report(app, report_options);
  add_data(app, data_options);
  add_plan(app, plan_options);
  add_predict(app, predict_options);
  add_bench(app, bench_options);
  add_init(app, init_options);
  add_server(app, server_options);
  add_client(app, client_options);
  add_up(app, up_options);
  add_status(app, status_options);
  add_verify_evidence(app, evidence_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.get_subcommands().empty()) suggest_command(app.remaining());
    const int status = app.exit(error);  // prints help or what was wrong
    return status == 0 ? kOk : kBadUsage;
  }
  if (const Status kernel = field::check_kernel(); !kernel) {
    std::cerr << "fedvs: " << kernel.error().message << "\n";
    return exit_status(kernel.error());
  }
  keep_party_files_private(app);
  const auto carry_out = [&] {
    if (app.got_subcommand("train")) return train(train_options);
    if (app.got_subcommand("compare")) return compare(compare_options);
    if (app.got_subcommand("reproduce")) return reproduce(reproduce_options);
    if (app.got_subcommand("report")) return report(report_options);
    if (app.got_subcommand("data")) return data(data_options);
    if (app.got_subcommand("plan")) return plan(plan_options);
    if (app.got_subcommand("bench")) return bench(bench_options);
    if (app.got_subcommand("init")) return init(init_options);
    if (app.got_subcommand("server")) return server(server_options);
    if (app.got_subcommand("client")) return client(client_options);
    if (app.got_subcommand("up")) return up(up_options);
    if (app.got_subcommand("status")) return status(status_options);
    if (app.got_subcommand("verify-evidence")) return verify_evidence(evidence_options);
    return predict(predict_options);
  };
  try {
    return carry_out();
  } catch (const std::bad_alloc&) {
    std::cerr << "fedvs: out of memory; fedvs plan shows what a job takes\n";
    return kFailed;
  }
}

}  // namespace fedvs::cli
