// How a run of `fedvs up` stands once its processes have ended.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "fedvs/cli/up_folder.h"

namespace fedvs::cli {

// test_accuracy is that of the last evaluation, null before the first.
nlohmann::json up_summary(const UpFolder& folder,
                          const std::map<std::string, int>& exit_statuses_by_party);
std::string up_summary_text(const nlohmann::json& summary, bool finished);

}  // namespace fedvs::cli
