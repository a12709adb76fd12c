#include "fedvs/study/verdicts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fedvs/study/judge.h"

namespace fedvs::study {

void Tally::add(bool holds, std::string evidence) {
  held_ += holds;
  evidence_.push_back(std::move(evidence));
}

void Tally::miss(const std::string& what) { missing_.push_back(what); }

Verdict Tally::verdict(std::string claim) const {
  if (evidence_.empty()) return {std::move(claim), "not known", "runs are missing"};
  std::string answer = held_ == evidence_.size() ? "yes"
                       : held_ == 0              ? "no"
                                    : fmt::format("in {} of {} cases", held_, evidence_.size());
  std::string numbers = fmt::format("{}", fmt::join(evidence_, "; "));
  if (!missing_.empty()) {
    answer = fmt::format("so far: {}", answer);
    numbers += fmt::format("; not known yet: {}", fmt::join(missing_, ", "));
  }
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

}  // namespace fedvs::study
