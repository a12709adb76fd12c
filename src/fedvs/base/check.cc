#include "fedvs/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace fedvs {

void check_failed(std::string_view condition, std::string_view what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %.*s: %.*s\n", file, line,
               static_cast<int>(condition.size()), condition.data(), static_cast<int>(what.size()),
               what.data());
  std::abort();
}

}  // namespace fedvs
