#include "fedvs/store/line_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "fedvs/base/files.h"
#include "fedvs/store/set_aside.h"

namespace fedvs::store {
namespace {

Error file_error(const char* action, const std::filesystem::path& path, int reason) {
  return {ErrorCode::kBadFile, fmt::format("cannot {} {}: {}", action, path.string(),
                                           std::generic_category().message(reason))};
}

Error corrupt_line(int number, const std::string& reason) {
  return {ErrorCode::kCorrupt, fmt::format("line {}: {}", number, reason)};
}

// A writer that was killed leaves the beginning of a line, a power cut perhaps zeros after it.
bool is_torn_line(std::string_view end, bool first) {
  const auto text = end.substr(0, end.find_last_not_of('\0') + 1);
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  return std::ranges::none_of(text, control) && (!first || text.size() == end.size());
}

// Bytes to keep.
Result<std::size_t> kept_size(std::string_view text, std::int64_t round,
                              const LineLog::RoundOf& round_of) {
  std::size_t kept = 0, begin = 0;
  bool rounds_began = false;
  for (int number = 1; begin < text.size(); ++number) {
    const auto end = text.find('\n', begin);
    if (end == std::string_view::npos) {
      if (is_torn_line(text.substr(begin), begin == 0)) break;
      return corrupt_line(number, "no text");
    }
    const auto line_round = round_of(text.substr(begin, end - begin));
    if (!line_round) return corrupt_line(number, line_round.error().message);
    rounds_began = rounds_began || line_round->has_value();
    begin = end + 1;
    if (line_round->has_value() ? **line_round <= round : !rounds_began) kept = begin;
  }
  return kept;
}

}  // namespace

Result<LineLog> LineLog::open(const std::filesystem::path& path, int flags) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
  if (file < 0) return file_error("open", path, errno);
  return LineLog(path, file);
}

Result<LineLog> LineLog::create(const std::filesystem::path& path) {
  return open(path, O_CREAT | O_TRUNC);
}

Result<LineLog> LineLog::resume(const std::filesystem::path& path, std::int64_t round,
                                const RoundOf& round_of) {
  if (!std::filesystem::exists(path)) return create(path);
  FEDVS_TRY(const std::string text, read_file(path));
  const auto kept = kept_size(text, round, round_of);
  if (!kept) {
    FEDVS_TRY_STATUS(set_aside(path, kept.error().message));
    return create(path);
  }
  FEDVS_TRY(LineLog log, open(path, 0));
  if (::ftruncate(log.file_, static_cast<off_t>(*kept)) != 0) {
    return file_error("shorten", path, errno);
  }
  return log;
}

LineLog::LineLog(LineLog&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

LineLog::~LineLog() {
  if (file_ >= 0) ::close(file_);
}

bool LineLog::empty() const {
  struct stat status;
  return ::fstat(file_, &status) == 0 && status.st_size == 0;
}

Status LineLog::append(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  for (std::size_t written = 0; written < bytes.size();) {
    const auto count = ::write(file_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error("write", path_, errno);
    written += static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace fedvs::store
