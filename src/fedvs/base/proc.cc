#include "fedvs/base/proc.h"

#include <cstdlib>
#include <fstream>

namespace fedvs {
namespace {

std::size_t bytes_in(const char* file, const std::string& key) {
  return std::strtoull(proc_value(file, key).c_str(), nullptr, 10) * 1024;
}

}  // namespace

std::string proc_value(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const auto from = line.find_first_not_of(": \t", line.find(':'));
    return from == std::string::npos ? "" : line.substr(from);
  }
  return {};
}

std::size_t peak_memory_bytes() { return bytes_in("/proc/self/status", "VmHWM"); }

std::size_t free_memory_bytes() { return bytes_in("/proc/meminfo", "MemAvailable"); }

}  // namespace fedvs
