#include "fedvs/run/machine.h"

#include <algorithm>
#include <thread>

#include "fedvs/base/proc.h"

namespace fedvs::run {

std::string cpu_model() {
  const std::string model = proc_value("/proc/cpuinfo", "model name");
  return model.empty() ? "unknown CPU" : model;
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace fedvs::run
