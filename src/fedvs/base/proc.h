// What Linux says of this machine and this process below /proc.
#pragma once
#include <cstddef>
#include <string>

namespace fedvs {

// What follows the colon in the file's first line that starts with `key`; or empty.
std::string proc_value(const char* file, const std::string& key);
std::size_t peak_memory_bytes();  // of this process so far (VmHWM); 0 where unknown
std::size_t free_memory_bytes();  // that programs may take now (MemAvailable); 0 where unknown

}  // namespace fedvs
