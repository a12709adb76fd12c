// fedvs data: which data sets there are, whether their files are right, what is in them, and what
// each party of a networked job would hold of one.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "fedvs/cli/commands.h"
#include "fedvs/cli/job_options.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/party_files.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;

ExitStatus list(bool as_json) {
  json sets = json::array();
  std::string text;
  for (const auto& entry : data::catalog()) {
    const std::string folder = data::folder_of(entry);
    std::error_code failure;
    sets.push_back({{"name", entry.name},
                    {"title", entry.title},
                    {"rows", entry.rows},
                    {"features", entry.features},
                    {"classes", entry.classes},
                    {"clients", entry.clients},
                    {"folder", folder}});
    text += fmt::format("{:<14} {:>7} rows  {:>5} features  {:>3} classes  {:>3} clients  {}\n",
                        entry.name, entry.rows, entry.features, entry.classes, entry.clients,
                        !std::filesystem::exists(folder, failure)
                            ? "not found (fedvs data check " + entry.name + ")"
                            : "found");
  }
  text += "csv            a file of your own: fedvs train --data FILE --label COLUMN --clients N\n";
  text += "synthetic      made on the spot, needs no file\n";
  std::cout << (as_json ? sets.dump() + "\n" : text);
  return kOk;
}

ExitStatus fail(const Error& error) {
  std::cerr << "fedvs data: " << error.message << "\n";
  return exit_status(error);
}

ExitStatus check(const DataOptions& options) {
  const auto report = data::check(options.name);
  if (!report) return fail(report.error());
  if (!options.json) {
    std::cout << report->text();
    return report->ok() ? kOk : kFailed;
  }
  json files = json::array();
  for (const auto& file : report->files) {
    files.push_back({{"file", file.file}, {"found", file.found}, {"problem", file.problem}});
  }
  std::cout << json{{"name", report->name}, {"ok", report->ok()}, {"files", files}}.dump() << "\n";
  return report->ok() ? kOk : kFailed;
}

Result<data::Dataset> export_set(const DataOptions& options) {
  if (options.out.empty())
    return Error{ErrorCode::kBadJob, fmt::format("where to? Name a new folder, as in: fedvs data "
                                                 "export {} --out parties",
                                                 options.name)};
  JobOptions job_options = options.job;
  job_options.data = options.name;
  FEDVS_TRY(const Job job, job_from(job_options));
  FEDVS_TRY(auto set, data::load(job.data));
  FEDVS_TRY_STATUS(data::write_party_files(set, job.data, options.out));
  return set;
}

ExitStatus export_files(const DataOptions& options) {
  const auto set = export_set(options);
  if (!set) return fail(set.error());
  const auto files = data::party_files(options.out, set->client_columns.size());
  json clients = json::array();
  std::string text;
  for (std::size_t n = 0; n < files.clients.size(); ++n) {
    const std::size_t features = set->client_columns[n].size();
    clients.push_back({{"file", files.clients[n].string()}, {"features", features}});
    text += fmt::format("{}: {} rows, {} features\n", files.clients[n].string(), set->features.rows,
                        features);
  }
  text += fmt::format("{}: {} rows, {} classes\n", files.labels.string(), set->features.rows,
                      set->classes);
  const json all = {{"name", set->name},
                    {"rows", set->features.rows},
                    {"classes", set->classes},
                    {"clients", clients},
                    {"labels", files.labels.string()}};
  std::cout << (options.json ? all.dump() + "\n" : text);
  return kOk;
}

bool has_export_options(const DataOptions& o) {
  return !o.out.empty() || o.job.clients || !o.job.label.empty() || !o.job.sets.empty();
}

}  // namespace

ExitStatus data(const DataOptions& options) {
  if (options.action != "export" && has_export_options(options)) {
    return fail({ErrorCode::kBadJob,
                 fmt::format("--out, --clients, --label and --set are for fedvs data export; leave "
                             "them out of fedvs data {}",
                             options.action)});
  }
  if (options.action == "list") return list(options.json);
  if (options.name.empty()) {
    return fail({ErrorCode::kBadJob, fmt::format("which data set? As in: fedvs data {} parkinson; "
                                                 "fedvs data list names them",
                                                 options.action)});
  }
  if (options.action == "check") return check(options);
  if (options.action == "export") return export_files(options);
  const auto text = data::describe(options.name);
  if (!text) return fail(text.error());
  std::cout << (options.json ? json{{"name", options.name}, {"text", *text}}.dump() + "\n" : *text);
  return kOk;
}

}  // namespace fedvs::cli
