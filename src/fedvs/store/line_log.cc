#include "fedvs/store/line_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "fedvs/base/files.h"

namespace fedvs::store {
namespace {

Error file_error(const char* action, const std::filesystem::path& path, int reason) {
  return {ErrorCode::kBadFile, fmt::format("cannot {} {}: {}", action, path.string(),
                                           std::generic_category().message(reason))};
}

Error corrupt_line(const std::filesystem::path& path, int number, const std::string& reason) {
  return {ErrorCode::kCorrupt, fmt::format("{}:{}: {}; repair or delete that line, then resume",
                                           path.string(), number, reason)};
}

// Bytes to keep.
Result<std::size_t> kept_size(const std::filesystem::path& path, std::string_view text,
                              std::int64_t round, const LineLog::RoundOf& round_of) {
  std::size_t kept = 0, begin = 0;
  bool rounds_began = false;
  for (int number = 1; begin < text.size(); ++number) {
    const auto end = text.find('\n', begin);
    if (end == std::string_view::npos) break;  // torn
    const auto line_round = round_of(text.substr(begin, end - begin));
    if (!line_round) return corrupt_line(path, number, line_round.error().message);
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
  FEDVS_TRY(const std::string text, read_file(path));
  FEDVS_TRY(const std::size_t kept, kept_size(path, text, round, round_of));
  FEDVS_TRY(LineLog log, open(path, 0));
  if (::ftruncate(log.file_, static_cast<off_t>(kept)) != 0) {
    return file_error("shorten", path, errno);
  }
  return log;
}

LineLog::LineLog(LineLog&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

LineLog::~LineLog() {
  if (file_ >= 0) ::close(file_);
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
