// Numbers as people read them.
#pragma once
#include <string>

namespace fedvs {

std::string human_seconds(double seconds);     // 3 m 20 s
std::string human_bytes(double bytes);         // 12.3 MB
std::string bar(double done, int cells = 20);  // ████░░░░, 0 .. 1

}  // namespace fedvs
