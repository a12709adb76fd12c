// fedvs reproduce: the paper's figures and its table, run here.
#include <algorithm>

#include "fedvs/cli/run_study.h"
#include "fedvs/data/clients.h"
#include "fedvs/study/figures.h"

namespace fedvs::cli {
namespace {

Result<std::vector<std::string>> figures_of(const std::string& name) {
  std::vector<std::string> known = study::figure_keys();
  if (name == "all") return known;
  if (std::ranges::find(known, name) != known.end()) return std::vector<std::string>{name};
  known.push_back("all");
  return data::unknown_name(ErrorCode::kBadJob, "figure", name, known);
}

study::Size size_of(const ReproduceOptions& options) {
  if (options.quick) return study::Size::kQuick;
  return options.full ? study::Size::kFull : study::Size::kNormal;
}

Result<study::Plan> plan_of(const ReproduceOptions& options) {
  FEDVS_TRY(const auto keys, figures_of(options.figure));
  study::Plan plan;
  plan.study.kind = "reproduction";
  plan.study.title = "FedVS (Li, Yao, Liu 2023), reproduced";
  for (const auto& key : keys) {
    const auto definition = study::define_figure(key, size_of(options));
    const int seeds = options.sweep.seeds.value_or(definition.seeds);
    FEDVS_TRY_STATUS(study::add_figure(plan, definition, seeds, options.sets));
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
