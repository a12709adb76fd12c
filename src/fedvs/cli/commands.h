// The commands, one file each; cli.cc turns flags into these.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::cli {

// Exit statuses: also in docs/commands.md.
enum ExitStatus {
  kOk = 0,
  kFailed = 1,
  kBadUsage = 2,
  kStoppedAndSaved = 3,
  kBelowThreshold = 4,  // fewer than R clients, or a time-out
  kRefusedExit = 5,
};
ExitStatus exit_status(const Error& error);

struct JobOptions {  // how train, plan and others get their job
  std::string job_file, data, method;
  std::vector<std::string> sets;
  std::optional<int> epochs, clients, colluding;
  std::optional<long> seed;
  std::string label;
};

struct TrainOptions {
  JobOptions job;
  std::string out, resume;
  int threads = 0;  // 0: all
  bool json = false, print_job = false, no_report = false;
};
ExitStatus train(const TrainOptions& options);

struct StudyOptions {  // what compare and reproduce share
  std::string out;
  int jobs = 0;  // runs at a time; 0: as many as there are cores
  std::optional<int> seeds;
  bool json = false, dry_run = false;
};

struct CompareOptions {
  JobOptions job;
  std::vector<std::string> methods;  // empty: all
  StudyOptions sweep;
};
ExitStatus compare(const CompareOptions& options);

struct ReproduceOptions {
  std::string figure;  // or "all"
  std::vector<std::string> sets;
  bool quick = false, full = false;
  StudyOptions sweep;
};
ExitStatus reproduce(const ReproduceOptions& options);

struct ReportOptions {
  std::string folder, out, svg, png;
};
ExitStatus report(const ReportOptions& options);

struct DataOptions {
  std::string action, name;  // list | check | describe | export
  JobOptions job;            // export: clients, label and sets
  std::string out;           // export: the folder
  bool json = false;
};
ExitStatus data(const DataOptions& options);

struct PlanOptions {
  JobOptions job;
  std::optional<std::size_t> rows;  // of data that is not here, with columns and classes
  std::vector<int> columns;         // per client
  std::optional<int> classes;
  int straggling = 0;
  bool json = false;
};
ExitStatus plan(const PlanOptions& options);

struct PredictOptions {
  std::string run, data, out;
  int threads = 0;
  bool json = false;
};
ExitStatus predict(const PredictOptions& options);

struct InitOptions {  // the steps exclude each other
  std::string job_file, dir, server_address;
  std::vector<std::string> clients, sets;
  std::string join, accept;        // files
  std::string fingerprint;         // of the roster, to be accepted as compared
  std::vector<std::string> admit;  // files
  int days = 365, invitation_days = 30;
  bool trial = false, replace = false, json = false;
};
ExitStatus init(const InitOptions& options);

struct ServerOptions {
  std::string dir, labels, predict, label, listen, out;
  std::string status = "127.0.0.1:0";
  double wait = 3600;  // seconds
  double linger = 10;  // seconds
  int threads = 0;
  bool json = false;  // scores
};
ExitStatus server(const ServerOptions& options);

struct ClientOptions {
  std::string dir, data, server, fingerprint;
  double give_up = 1800;  // seconds
  int threads = 0;
  bool predict = false, take_part_again = false;
};
ExitStatus client(const ClientOptions& options);
struct UpOptions {
  JobOptions job;   // of a new folder
  std::string dir;  // without a job: one to go on with
  bool json = false;
};
ExitStatus up(const UpOptions& options);
struct StatusOptions {
  std::string dir = "deploy/server", address;  // the address, if given, wins
  bool json = false, watch = false;
};
ExitStatus status(const StatusOptions& options);

struct VerifyEvidenceOptions {
  std::string file, roster;
};
ExitStatus verify_evidence(const VerifyEvidenceOptions& options);

struct BenchOptions {
  int threads = 0;  // of the round; 0: all
  bool json = false;
};
ExitStatus bench(const BenchOptions& options);

}  // namespace fedvs::cli
