// The paper's figures and its table as lists of settings: what `fedvs reproduce` runs.
#pragma once
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/experiments/study.h"

namespace fedvs::experiments {

enum class Size {
  kQuick,   // every code path, in minutes
  kNormal,  // all but Table 1 trained to the end
  kFull,    // Table 1 too
};

struct LineDefinition {
  std::string name;
  std::vector<std::string> sets;  // of a job, "a.b=c"
};
struct PanelDefinition {
  std::string id, title;
  std::vector<LineDefinition> lines;
};
struct FigureDefinition {
  std::string key, title;
  int seeds;
  std::vector<PanelDefinition> panels;
};

const std::vector<std::string>& figure_keys();                      // fig1 table1 fig2 fig3 fig4
FigureDefinition define_figure(const std::string& key, Size size);  // a key of these
// What it is about and how it is run here, for its page; empty for other keys.
std::string how_it_is_done(const std::string& key);
// Six data sets, of three kinds: fashion-mnist ... parkinson.
const std::vector<std::string>& paper_data_sets();

// Completes the jobs, seeds 1 to `seeds`, and adds them to the plan; `sets` win over the
// definition's. kBadJob.
Status add_figure(Plan& plan, const FigureDefinition& definition, int seeds,
                  const std::vector<std::string>& sets);

}  // namespace fedvs::experiments
