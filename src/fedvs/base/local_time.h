// The wall clock as people read it, local time.
#pragma once
#include <string>

namespace fedvs {

std::string time_stamp();  // for names of folders: "20261116-093000"
std::string clock_time();  // for lines of a log: "09:30:00"

}  // namespace fedvs
