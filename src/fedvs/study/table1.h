// The paper's Table 1, and ours beside it.
#pragma once
#include <string>
#include <vector>

#include "fedvs/report/report.h"
#include "fedvs/study/outcome.h"

namespace fedvs::study {

inline constexpr int kLayers = 3;
double paper_accuracy(int layers, const std::string& network);  // %; mlp, cnn or pn
report::Table table1_beside_paper(const std::vector<Outcome>& lines);

}  // namespace fedvs::study
