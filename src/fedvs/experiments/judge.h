// The judges of verdicts.cc, one per figure or table of the paper.
#pragma once
#include "fedvs/experiments/verdicts.h"

namespace fedvs::experiments {

using Panels = std::vector<PanelOutcome>;
std::vector<Verdict> judge_fig1(const Panels& panels);
std::vector<Verdict> judge_table1(const Panels& panels);
std::vector<Verdict> judge_fig2(const Panels& panels);
std::vector<Verdict> judge_fig3(const Panels& panels);
std::vector<Verdict> judge_fig4(const Panels& panels);

// A claim about several cases, gathered one by one.
class Tally {
 public:
  // A line that the claim is about: nullptr, and told as missing, if none of its runs has ended;
  // told as incomplete if some have not.
  const Outcome* line(const PanelOutcome& panel, const std::string& name);
  void add(bool holds, std::string evidence);
  void miss(const std::string& what);  // a case that cannot be judged yet
  Verdict verdict(std::string claim) const;

 private:
  std::size_t held_ = 0;
  std::vector<std::string> evidence_, missing_, incomplete_;
};

}  // namespace fedvs::experiments
