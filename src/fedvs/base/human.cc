#include "fedvs/base/human.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fedvs {
namespace {

constexpr double kCountable = 1e15;  // what is not smaller is no time that anybody measured

}  // namespace

std::string human_seconds(double seconds) {
  if (!(std::abs(seconds) < kCountable)) return "?";
  const auto whole = std::llround(seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (whole < 120) return fmt::format("{} s", whole);
  if (whole < 7200) return fmt::format("{} m {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} m", whole / 3600, whole / 60 % 60);
}

std::string human_bytes(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  while (bytes >= 999.5 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string bar(double done, int cells) {
  const double full = std::clamp(done, 0.0, 1.0) * cells;
  std::string text;
  for (int i = 0; i < cells; ++i) text += i + 1 <= full ? "█" : "░";
  return text;
}

}  // namespace fedvs
