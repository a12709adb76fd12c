// gnuplot as a process of its own, without a shell in between.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::report {

// A string of gnuplot's language that means `text`, line ends and the like as spaces.
std::string gnuplot_text(std::string_view text);
// What `script` draws, as the bytes of the file; it finds that file's name in the variable
// `figure`. kBadFile if gnuplot is not installed (with the remedy) or fails (with its own words).
Result<std::string> draw_with_gnuplot(std::string_view script);

}  // namespace fedvs::report
