// fedvs reproduce: the paper's figures and its table, run here.
#include <algorithm>

#include "fedvs/cli/run_study.h"
#include "fedvs/data/clients.h"
#include "fedvs/experiments/figures.h"

namespace fedvs::cli {
namespace {

Result<std::vector<std::string>> figures_of(const std::string& name) {
  std::vector<std::string> known = experiments::figure_keys();
  if (name == "all") return known;
  if (std::ranges::find(known, name) != known.end()) return std::vector<std::string>{name};
  known.push_back("all");
  return data::unknown_name(ErrorCode::kBadJob, "figure", name, known);
}

experiments::Size size_of(const ReproduceOptions& options) {
  if (options.quick) return experiments::Size::kQuick;
  return options.full ? experiments::Size::kFull : experiments::Size::kNormal;
}

Result<experiments::Plan> plan_of(const ReproduceOptions& options) {
  FEDVS_TRY(const auto keys, figures_of(options.figure));
  experiments::Plan plan;
  plan.study.kind = "reproduction";
  plan.study.title = "FedVS (Li, Yao, Liu 2023), reproduced";
  for (const auto& key : keys) {
    const auto definition = experiments::define_figure(key, size_of(options));
    const int seeds = options.sweep.seeds.value_or(definition.seeds);
    FEDVS_TRY_STATUS(experiments::add_figure(plan, definition, seeds, options.sets));
  }
  return plan;
}

}  // namespace

ExitStatus reproduce(const ReproduceOptions& options) {
  const auto plan = plan_of(options);
  if (!plan) return fail_study(plan.error(), options.sweep, "reproduce");
  StudyOptions sweep = options.sweep;
  if (sweep.out.empty()) sweep.out = options.quick ? "runs/reproduce-quick" : "runs/reproduce";
  return run_study(*plan, sweep, "reproduce");
}

}  // namespace fedvs::cli
