// For names of folders: "20261116-093000", local time.
#pragma once
#include <string>

namespace fedvs::cli {

std::string time_stamp();

}  // namespace fedvs::cli
