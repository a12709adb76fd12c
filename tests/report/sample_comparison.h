// A comparison of six methods with spread, made up; and texts that try to break out of a page.
#pragma once
#include "fedvs/report/report.h"

namespace fedvs::report {

Report sample_comparison();
// Charts and timelines with as little in them as can be, and models that were left out.
Report sample_oddities();
inline constexpr const char* kHostile =
    "</script><script>alert(1)</script><!-- & 'quoted' \"twice\"";

}  // namespace fedvs::report
