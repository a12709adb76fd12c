// The paper's Table 1, and ours beside it.
#pragma once
#include <string>
#include <vector>

#include "fedvs/experiments/outcome.h"
#include "fedvs/report/report.h"

namespace fedvs::experiments {

inline constexpr int kLayers = 3;
double paper_accuracy(int layers, const std::string& network);  // %; mlp, cnn or pn
report::Table table1_beside_paper(const std::vector<Outcome>& lines);

}  // namespace fedvs::experiments
