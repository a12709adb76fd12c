// fedvs data: which data sets there are, whether their files are right, what is in them.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "fedvs/cli/commands.h"
#include "fedvs/data/catalog.h"

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

}  // namespace

ExitStatus data(const DataOptions& options) {
  if (options.action == "list") return list(options.json);
  if (options.name.empty()) {
    return fail({ErrorCode::kBadJob, fmt::format("which data set? As in: fedvs data {} parkinson; "
                                                 "fedvs data list names them",
                                                 options.action)});
  }
  if (options.action == "check") return check(options);
  const auto text = data::describe(options.name);
  if (!text) return fail(text.error());
  std::cout << (options.json ? json{{"name", options.name}, {"text", *text}}.dump() + "\n" : *text);
  return kOk;
}

}  // namespace fedvs::cli
