#include "fedvs/measure/machine.h"

#include <algorithm>
#include <fstream>
#include <thread>

namespace fedvs::measure {
namespace {

// What follows the colon in the first line that starts so; or empty.
std::string value_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto from = line.find_first_not_of(": \t", line.find(':'));
    return from == std::string::npos ? "" : line.substr(from);
  }
  return {};
}

std::size_t bytes_in(const char* file, const std::string& key) {
  const std::string kilobytes = value_in(file, key);
  return kilobytes.empty() ? 0 : std::stoul(kilobytes) * 1024;
}

}  // namespace

std::string cpu_model() {
  const std::string model = value_in("/proc/cpuinfo", "model name");
  return model.empty() ? "unknown CPU" : model;
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

std::size_t peak_memory_bytes() { return bytes_in("/proc/self/status", "VmHWM"); }

std::size_t free_memory_bytes() { return bytes_in("/proc/meminfo", "MemAvailable"); }

}  // namespace fedvs::measure
