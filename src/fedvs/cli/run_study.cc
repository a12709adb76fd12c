#include "fedvs/cli/run_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fedvs/base/human.h"
#include "fedvs/cli/pages.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/cli/sweep_progress.h"
#include "fedvs/cli/version.h"
#include "fedvs/experiments/data_check.h"
#include "fedvs/experiments/folder_lock.h"
#include "fedvs/experiments/outcome_table.h"
#include "fedvs/experiments/time_left.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;

int jobs_of(const StudyOptions& options) {
  return options.jobs > 0 ? options.jobs : experiments::default_jobs();
}

std::string plan_text(const experiments::Folder& folder, const experiments::Plan& plan, int jobs) {
  std::vector<experiments::Expected> missing;
  for (const auto& trial : plan.trials) {
    if (!folder.has_result(trial.name)) missing.push_back({trial.seconds, 0});
  }
  return fmt::format("{}: {} runs, {} of them ended before; about {}, {} at a time, in {}",
                     plan.study.title, plan.trials.size(), plan.trials.size() - missing.size(),
                     human_seconds(experiments::TimeLeft().estimate(missing, jobs)), jobs,
                     folder.path().string());
}

ExitStatus list_plan(const experiments::Folder& folder, const experiments::Plan& plan,
                     const StudyOptions& options) {
  if (options.json) {
    json runs = json::array();
    for (const auto& trial : plan.trials) {
      runs.push_back({{"run", folder.run(trial.name).string()},
                      {"expected_seconds", trial.seconds},
                      {"ended", folder.has_result(trial.name)}});
    }
    std::cout << runs.dump() << "\n";
    return kOk;
  }
  for (const auto& trial : plan.trials) {
    std::cout << fmt::format("{:<60} {:>9}{}\n", trial.name, human_seconds(trial.seconds),
                             folder.has_result(trial.name) ? "  ended" : "");
  }
  std::cout << plan_text(folder, plan, jobs_of(options)) << "\n";
  if (!plan.note.empty()) std::cout << plan.note << "\n";
  return kOk;
}

// The tables of a comparison, the verdicts of a reproduction: of the sections with charts.
Result<std::vector<report::Table>> tables_of(const report::Report& page, const std::string& kind) {
  std::vector<report::Table> tables;
  for (const auto& section : page.sections) {
    if (section.charts.empty()) continue;
    if (kind == "comparison") {
      tables.insert(tables.end(), section.tables.begin(), section.tables.end());
    } else if (!section.tables.empty()) {
      tables.push_back(section.tables.front());
    }
  }
  return tables;
}

json summary_json(const experiments::Folder& folder, const experiments::Plan& plan,
                  const experiments::SweepEnd& end, const std::vector<report::Table>& tables) {
  json j = {
      {"folder", folder.path().string()}, {"report", (folder.path() / "report.html").string()},
      {"runs", plan.trials.size()},       {"ran", end.ran},
      {"failed", json::object()},         {"tables", json::array()}};
  if (!plan.note.empty()) j["note"] = plan.note;
  for (const auto& [trial, why] : end.failed) j["failed"][trial] = why;
  for (const auto& table : tables) {
    j["tables"].push_back({{"columns", table.columns}, {"rows", table.rows}});
  }
  return j;
}

Status show(const experiments::Folder& folder, const experiments::Study& study,
            const experiments::Plan& plan, const experiments::SweepEnd& end,
            const StudyOptions& options) {
  const auto file = folder.path() / "report.html";
  FEDVS_TRY_STATUS(write_study_pages(folder, study, file));
  FEDVS_TRY(const auto page, study_page(folder, study));
  FEDVS_TRY(const auto tables, tables_of(page, study.kind));
  if (options.json) {
    std::cout << summary_json(folder, plan, end, tables).dump() << "\n";
    return {};
  }
  for (const auto& table : tables) std::cout << "\n" << experiments::text_of(table);
  std::cout << fmt::format("\n{}\nreport  {}\n", page.summary, file.string());
  return {};
}

Error stopped(const experiments::Folder& folder, const std::string& how_far) {
  return {ErrorCode::kStopped,
          fmt::format("stopped and saved, {}; go on with the same command, or see what there is: "
                      "fedvs report {}",
                      how_far, folder.path().string())};
}

// What failed has been said, line by line or in the JSON object.
ExitStatus ended(const experiments::SweepEnd& end, std::size_t runs, const std::string& command) {
  if (end.failed.empty()) return kOk;
  std::cerr << fmt::format("fedvs {}: {} of {} runs failed; the same command tries them again\n",
                           command, end.failed.size(), runs);
  return kFailed;
}

Result<experiments::SweepEnd> run_and_show(const experiments::Plan& plan,
                                           const StudyOptions& options) {
  const experiments::Folder folder(options.out);
  FEDVS_TRY_STATUS(experiments::check_data(plan.trials));
  FEDVS_TRY_STATUS(folder.check(plan, version()));  // a folder that is refused gets no lock either
  FEDVS_TRY(const auto lock, experiments::FolderLock::take(folder));
  FEDVS_TRY(const auto whole, folder.prepare(plan, version()));
  SweepProgress progress(options.json);
  progress.line(plan_text(folder, plan, jobs_of(options)));
  if (!plan.note.empty()) progress.line(plan.note);
  catch_stop_signals();
  experiments::SweepOptions sweep_options;
  sweep_options.jobs = jobs_of(options);
  sweep_options.stop = stop_requested;
  auto end = experiments::sweep(folder, plan.trials, sweep_options, progress);
  if (!end && end.error().code == ErrorCode::kStopped) return stopped(folder, end.error().message);
  if (end) FEDVS_TRY_STATUS(show(folder, whole, plan, *end, options));
  return end;
}

}  // namespace

ExitStatus fail_study(const Error& error, const StudyOptions& options, const std::string& command) {
  if (options.json) {
    std::cout << json{{"error", error.message}}.dump() << "\n";
  } else {
    std::cerr << "fedvs " << command << ": " << error.message << "\n";
  }
  return exit_status(error);
}

ExitStatus run_study(const experiments::Plan& plan, const StudyOptions& options,
                     const std::string& command) {
  if (options.dry_run) return list_plan(experiments::Folder(options.out), plan, options);
  const auto end = run_and_show(plan, options);
  if (!end) return fail_study(end.error(), options, command);
  return ended(*end, plan.trials.size(), command);
}

}  // namespace fedvs::cli
