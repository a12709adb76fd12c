// The table of a panel: a row per line.
#pragma once
#include <string>
#include <vector>

#include "fedvs/experiments/outcome.h"
#include "fedvs/report/report.h"

namespace fedvs::experiments {

// Accuracy at the end, time to 90, 95 and 99 % of the best accuracy of any line, bytes, and
// speed-ups over those of `references` that are among the lines.
report::Table outcome_table(const std::vector<Outcome>& outcomes,
                            const std::vector<std::string>& references);
// For a terminal: columns aligned.
std::string text_of(const report::Table& table);

}  // namespace fedvs::experiments
