#include "fedvs/base/abandoned_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/descriptor.h"

namespace fedvs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".partial-";

// The process that wrote it: NAME.partial-PID-COUNTER.
std::optional<pid_t> writer_of(const std::string& name) {
  const auto mark = name.rfind(kMark);
  if (mark == std::string::npos) return std::nullopt;
  const char* const end = name.data() + name.size();
  pid_t writer = 0;
  unsigned counter = 0;
  const auto first = std::from_chars(name.data() + mark + kMark.size(), end, writer);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, counter);
  if (second.ec != std::errc() || second.ptr != end || writer <= 0) return std::nullopt;
  return writer;
}

// Its number may be taken by somebody else now, this process too; but a writer that lives holds a
// lock on its file.
bool abandoned(const fs::path& path, pid_t writer) {
  const bool lives = ::kill(writer, 0) == 0 || errno == EPERM;
  if (lives && writer != ::getpid()) return false;
  const Descriptor file(path, O_RDONLY | O_NOFOLLOW);
  return file.ok() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

std::size_t remove_abandoned_files(const fs::path& folder) {
  std::error_code failed;
  std::vector<fs::path> found;
  using Walk = fs::recursive_directory_iterator;
  for (Walk at(folder, fs::directory_options::skip_permission_denied, failed);
       !failed && at != Walk(); at.increment(failed)) {
    if (!fs::is_regular_file(at->symlink_status())) continue;
    const auto writer = writer_of(at->path().filename().string());
    if (writer && abandoned(at->path(), *writer)) found.push_back(at->path());
  }
  std::size_t removed = 0;
  for (const auto& path : found) removed += fs::remove(path, failed) ? 1 : 0;
  return removed;
}

}  // namespace fedvs
