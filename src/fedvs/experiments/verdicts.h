// What the paper says about a figure, and whether our runs say so too.
#pragma once
#include <string>
#include <vector>

#include "fedvs/experiments/outcome.h"
#include "fedvs/report/report.h"

namespace fedvs::experiments {

struct Verdict {
  std::string claim;
  std::string answer;    // yes | no | in part | not known: runs are missing
  std::string evidence;  // the numbers
};

struct PanelOutcome {
  std::string id, title;
  std::vector<Outcome> lines;
};

// By the figure's key; none for a figure that is not the paper's.
std::vector<Verdict> verdicts_of(const std::string& key, const std::vector<PanelOutcome>& panels);
report::Table verdict_table(const std::vector<Verdict>& verdicts);

}  // namespace fedvs::experiments
