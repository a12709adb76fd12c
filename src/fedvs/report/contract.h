// A Report as the JSON that the page's script reads; docs/reports.md describes it.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "fedvs/report/report.h"

namespace fedvs::report {

inline constexpr int kFormat = 1;  // web/src/main.js refuses others

// Numbers with nine digits, NaN as null.
nlohmann::json to_json(const Report& report);

}  // namespace fedvs::report
