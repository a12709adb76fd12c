#include "fedvs/experiments/verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fedvs/experiments/judge.h"

namespace fedvs::experiments {

namespace {

void add_once(std::vector<std::string>& list, std::string text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
}

}  // namespace

const Outcome* Tally::line(const PanelOutcome& panel, const std::string& name) {
  const Outcome* outcome = find(panel.lines, name);
  if (outcome == nullptr) {
    miss(fmt::format("{} of {}", name, panel.title));
  } else if (outcome->seeds.size() < outcome->wanted) {
    add_once(incomplete_, fmt::format("{} of {} ({} of {} seeds)", name, panel.title,
                                      outcome->seeds.size(), outcome->wanted));
  }
  return outcome;
}

void Tally::add(bool holds, std::string evidence) {
  held_ += holds;
  evidence_.push_back(std::move(evidence));
}

void Tally::miss(const std::string& what) { add_once(missing_, what); }

Verdict Tally::verdict(std::string claim) const {
  std::string answer = evidence_.empty()           ? "not known"
                       : held_ == evidence_.size() ? "yes"
                       : held_ == 0                ? "no"
                                    : fmt::format("in {} of {} cases", held_, evidence_.size());
  std::string numbers =
      evidence_.empty() ? "runs are missing" : fmt::format("{}", fmt::join(evidence_, "; "));
  const bool whole = missing_.empty() && incomplete_.empty();
  if (!whole && !evidence_.empty()) answer = "so far: " + answer;
  if (!missing_.empty()) numbers += fmt::format("; not known yet: {}", fmt::join(missing_, ", "));
  if (!incomplete_.empty())
    numbers += fmt::format("; incomplete: {}", fmt::join(incomplete_, ", "));
  return {std::move(claim), std::move(answer), std::move(numbers)};
}

std::vector<Verdict> verdicts_of(const std::string& key, const std::vector<PanelOutcome>& panels) {
  if (key == "fig1") return judge_fig1(panels);
  if (key == "table1") return judge_table1(panels);
  if (key == "fig2") return judge_fig2(panels);
  if (key == "fig3") return judge_fig3(panels);
  if (key == "fig4") return judge_fig4(panels);
  return {};
}

report::Table verdict_table(const std::vector<Verdict>& verdicts) {
  report::Table table{.caption = "Computed from the runs of this page",
                      .columns = {"claim", "holds here", "numbers"},
                      .rows = {}};
  for (const auto& v : verdicts) table.rows.push_back({v.claim, v.answer, v.evidence});
  return table;
}

}  // namespace fedvs::experiments
