// Broken invariants: a programmer's mistake, never reachable from a peer's bytes, a file or a flag.
#pragma once
#include <string_view>

namespace fedvs {
// Prints what was broken and where, then aborts.
[[noreturn]] void check_failed(std::string_view condition, std::string_view what, const char* file,
                               int line);
}  // namespace fedvs

#define FEDVS_CHECK(condition, what)      \
  (static_cast<bool>(condition) ? void(0) \
                                : ::fedvs::check_failed(#condition, (what), __FILE__, __LINE__))
