#include "fedvs/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <utility>

namespace fedvs::log {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto made = std::make_shared<spdlog::logger>(
        "fedvs", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%H:%M:%S %^%l%$ %v");
    made->set_level(spdlog::level::info);
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum native(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kOff:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

bool set_level(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Level>, 5> kLevels{{{"debug", Level::kDebug},
                                                                       {"info", Level::kInfo},
                                                                       {"warning", Level::kWarning},
                                                                       {"error", Level::kError},
                                                                       {"off", Level::kOff}}};
  for (const auto& [known, level] : kLevels) {
    if (known == name) {
      logger().set_level(native(level));
      return true;
    }
  }
  return false;
}

void write(Level level, std::string_view message) { logger().log(native(level), message); }

}  // namespace fedvs::log
