#include "fedvs/base/local_time.h"

#include <ctime>

namespace fedvs {
namespace {

std::string local_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

}  // namespace

std::string time_stamp() { return local_time("%Y%m%d-%H%M%S"); }
std::string clock_time() { return local_time("%H:%M:%S"); }

}  // namespace fedvs
