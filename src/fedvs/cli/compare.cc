// fedvs compare: several methods on the same data, delays and seeds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "fedvs/cli/job_options.h"
#include "fedvs/cli/run_study.h"
#include "fedvs/data/clients.h"
#include "fedvs/experiments/folder.h"
#include "fedvs/job/keys.h"

namespace fedvs::cli {
namespace {

constexpr int kSeeds = 5;

Result<std::vector<std::string>> methods_of(const CompareOptions& options) {
  const auto& known = find_job_key("method")->limits.choices;
  if (options.methods.empty()) return known;
  for (const auto& method : options.methods) {
    if (std::ranges::find(known, method) == known.end()) {
      return data::unknown_name(ErrorCode::kBadJob, "method", method, known);
    }
  }
  return options.methods;
}

Result<experiments::Line> add_line(experiments::Plan& plan, JobOptions options,
                                   const std::string& method, int seeds) {
  experiments::Line line{method, {}};
  options.method = method;
  for (int seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    FEDVS_TRY(Job job, job_from(options));
    plan.add_run(line, std::move(job));
  }
  return line;
}

std::string name_of(const Job& job) {
  return job.data.name == "csv" ? std::filesystem::path(job.data.path).stem().string()
                                : job.data.name;
}

std::string folder_of(const CompareOptions& options, const Job& job) {
  return options.sweep.out.empty() ? "runs/compare-" + name_of(job) : options.sweep.out;
}

std::vector<experiments::Line> lines_of(const experiments::Study& study) {
  std::vector<experiments::Line> lines;
  for (const auto& figure : study.figures) {
    for (const auto& panel : figure.panels) {
      lines.insert(lines.end(), panel.lines.begin(), panel.lines.end());
    }
  }
  return lines;
}

// The names of runs tell their settings.
bool has_settings(const experiments::Line& line, const JobOptions& options) {
  experiments::Plan unused;
  const auto now = add_line(unused, options, line.name, 1);
  return now && !line.runs.empty() && now->runs[0] == line.runs[0];
}

// Methods that were run in this folder before stay on its page, if by the same settings.
void add_earlier_lines(experiments::Plan& plan, experiments::Panel& panel,
                       const JobOptions& options, const experiments::Folder& folder) {
  const auto before = folder.read();
  if (!before || before->kind != plan.study.kind) return;  // what is wrong is told by check()
  std::vector<std::string> others;
  for (const auto& line : lines_of(*before)) {
    if (std::ranges::find(panel.lines, line.name, &experiments::Line::name) != panel.lines.end())
      continue;
    if (has_settings(line, options)) {
      panel.lines.push_back(line);
    } else {
      others.push_back(line.name);
    }
  }
  if (others.empty()) return;
  plan.note = fmt::format(
      "not on the page any more, for they were run with other settings: {}; their runs are kept "
      "(name "
      "them in --methods to run them with these, or use another --out)",
      fmt::join(others, ", "));
}

Result<experiments::Plan> plan_of(const CompareOptions& options) {
  if (options.job.data.empty() && options.job.job_file.empty()) {
    return Error{ErrorCode::kBadJob,
                 "compare on what? Name a data set with --data NAME (fedvs data list), your own "
                 "CSV with --data FILE --label COLUMN --clients N, or a job with --job FILE"};
  }
  FEDVS_TRY(const auto methods, methods_of(options));
  FEDVS_TRY(const Job job, job_from(options.job));
  experiments::Plan plan;
  plan.study.kind = "comparison";
  experiments::Panel panel{"accuracy", "Test accuracy on " + name_of(job), {}};
  for (const auto& method : methods) {
    FEDVS_TRY(auto line, add_line(plan, options.job, method, options.sweep.seeds.value_or(kSeeds)));
    panel.lines.push_back(std::move(line));
  }
  add_earlier_lines(plan, panel, options.job, experiments::Folder(folder_of(options, job)));
  const auto count = panel.lines.size();
  plan.study.title = fmt::format(
      "{} on {}", count == 1 ? methods[0] : fmt::format("{} methods", count), name_of(job));
  plan.study.figures = {{"compare", plan.study.title, {std::move(panel)}}};
  return plan;
}

}  // namespace

ExitStatus compare(const CompareOptions& options) {
  const auto plan = plan_of(options);
  if (!plan) return fail_study(plan.error(), options.sweep, "compare");
  StudyOptions sweep = options.sweep;
  sweep.out = folder_of(options, plan->trials.front().job);
  return run_study(*plan, sweep, "compare");
}

}  // namespace fedvs::cli
