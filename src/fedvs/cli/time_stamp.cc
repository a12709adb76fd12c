#include "fedvs/cli/time_stamp.h"

#include <ctime>

namespace fedvs::cli {

std::string time_stamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
  return stamp;
}

}  // namespace fedvs::cli
