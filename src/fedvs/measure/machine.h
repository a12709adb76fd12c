// Where figures come from.
#pragma once
#include <cstddef>
#include <string>

namespace fedvs::measure {

std::string cpu_model();  // "unknown CPU" where the system does not say
int cores();
std::size_t peak_memory_bytes();  // of this process so far (VmHWM); 0 where unknown
std::size_t free_memory_bytes();  // that programs may take now (MemAvailable); 0 where unknown

}  // namespace fedvs::measure
