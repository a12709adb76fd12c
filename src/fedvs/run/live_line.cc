#include "fedvs/run/live_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace fedvs::run {
namespace {

constexpr double kTerminalPause = 0.1;
constexpr const char* kClear = "\r\x1b[K";

}  // namespace

LiveLine::LiveLine(bool quiet, double plain_pause)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      pause_(terminal_ ? kTerminalPause : plain_pause) {}

LiveLine::~LiveLine() {
  if (open_) std::fputs("\n", stderr);
}

bool LiveLine::due() const {
  return !quiet_ && std::chrono::duration<double>(Clock::now() - shown_).count() >= pause_;
}

void LiveLine::restart() { shown_ = Clock::now(); }

void LiveLine::show(const std::string& text) {
  if (!due()) return;
  shown_ = Clock::now();
  std::fputs(fmt::format("{}{}{}", terminal_ ? kClear : "", text, terminal_ ? "" : "\n").c_str(),
             stderr);
  std::fflush(stderr);
  open_ = terminal_;
}

void LiveLine::line(const std::string& text) {
  if (quiet_) return;
  std::fputs(fmt::format("{}{}\n", open_ ? kClear : "", text).c_str(), stderr);
  open_ = false;
}

}  // namespace fedvs::run
