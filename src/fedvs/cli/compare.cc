// fedvs compare: several methods on the same data, delays and seeds.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "fedvs/cli/job_options.h"
#include "fedvs/cli/run_study.h"
#include "fedvs/data/clients.h"
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

Result<study::Line> add_line(study::Plan& plan, JobOptions options, const std::string& method,
                             int seeds) {
  study::Line line{method, {}};
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

Result<study::Plan> plan_of(const CompareOptions& options) {
  if (options.job.data.empty() && options.job.job_file.empty()) {
    return Error{ErrorCode::kBadJob,
                 "compare on what? Name a data set with --data NAME (fedvs data list), your own "
                 "CSV with --data FILE --label COLUMN --clients N, or a job with --job FILE"};
  }
  FEDVS_TRY(const auto methods, methods_of(options));
  FEDVS_TRY(const Job job, job_from(options.job));
  study::Plan plan;
  plan.study.kind = "comparison";
  plan.study.title = methods.size() == 1
                         ? fmt::format("{} on {}", methods[0], name_of(job))
                         : fmt::format("{} methods on {}", methods.size(), name_of(job));
  study::Panel panel{"accuracy", "Test accuracy on " + name_of(job), {}};
  for (const auto& method : methods) {
    FEDVS_TRY(auto line, add_line(plan, options.job, method, options.sweep.seeds.value_or(kSeeds)));
    panel.lines.push_back(std::move(line));
  }
  plan.study.figures = {{"compare", plan.study.title, {std::move(panel)}}};
  return plan;
}

}  // namespace

ExitStatus compare(const CompareOptions& options) {
  const auto plan = plan_of(options);
  if (!plan) return fail_study(plan.error(), options.sweep, "compare");
  StudyOptions sweep = options.sweep;
  if (sweep.out.empty()) sweep.out = "runs/compare-" + name_of(plan->trials.front().job);
  return run_study(*plan, sweep, "compare");
}

}  // namespace fedvs::cli
