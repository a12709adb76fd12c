#include "fedvs/cli/live_table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace fedvs::cli {
namespace {

constexpr std::chrono::milliseconds kPause{500};

struct Size {
  std::size_t rows = 24, columns = 80;
};

Size terminal_size() {
  winsize window{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row < 3 || window.ws_col < 20) {
    return {};
  }
  return {window.ws_row, window.ws_col};
}

// At most so many characters of UTF-8, and no control characters, which would move the cursor.
std::string cut(const std::string& line, std::size_t columns) {
  std::string shown;
  std::size_t characters = 0;
  for (const char c : line) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues && ++characters > columns) break;
    shown += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return shown;
}

}  // namespace

LiveTable::LiveTable() : terminal_(isatty(STDERR_FILENO) != 0) {}

LiveTable::~LiveTable() { std::fflush(stderr); }

bool LiveTable::due() const { return terminal_ && Clock::now() - when_ >= kPause; }

void LiveTable::clear() {
  if (shown_ == 0) return;
  std::fputs(fmt::format("\x1b[{}A\r\x1b[J", shown_).c_str(), stderr);
  std::fflush(stderr);
  shown_ = 0;
  when_ = {};
}

void LiveTable::show(const std::vector<std::string>& lines) {
  if (!due()) return;
  clear();
  const Size size = terminal_size();
  const std::size_t room = size.rows - 2;
  const std::size_t whole = lines.size() <= room ? lines.size() : room - 1;
  std::string text;
  for (std::size_t i = 0; i < whole; ++i) text += cut(lines[i], size.columns - 1) + "\n";
  if (whole < lines.size()) text += fmt::format("... and {} more\n", lines.size() - whole);
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  shown_ = std::min(lines.size(), whole + 1);
  when_ = Clock::now();
}

}  // namespace fedvs::cli
