// The program's log (stderr), behind a header of ours so that spdlog compiles once.
// Never log masks, shares, weights or features.
#pragma once
#include <fmt/format.h>

#include <string_view>

namespace fedvs::log {

enum class Level { kDebug, kInfo, kWarning, kError, kOff };
bool set_level(std::string_view name);  // debug, info, warning, error, off; false if unknown
void write(Level level, std::string_view message);

template <class... Args>
void debug(fmt::format_string<Args...> f, Args&&... args) {
  write(Level::kDebug, fmt::format(f, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> f, Args&&... args) {
  write(Level::kInfo, fmt::format(f, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> f, Args&&... args) {
  write(Level::kWarning, fmt::format(f, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> f, Args&&... args) {
  write(Level::kError, fmt::format(f, std::forward<Args>(args)...));
}

}  // namespace fedvs::log
