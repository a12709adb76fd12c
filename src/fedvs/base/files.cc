#include "fedvs/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "fedvs/base/descriptor.h"

namespace fedvs {
namespace {

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  static std::atomic<unsigned> counter{0};
  return fmt::format("{}.partial-{}-{}", path.string(), ::getpid(), counter++);
}

// 0, or the errno of what failed.
int write_and_sync(const std::filesystem::path& path, std::string_view bytes, Readers readers) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW,
                  readers == Readers::kOwner ? 0600 : 0666);
  if (!file.ok()) return errno;
  (void)::flock(file.get(), LOCK_EX | LOCK_NB);  // says that its writer lives: abandoned_files.h
  while (!bytes.empty()) {
    const auto written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file.get()) == 0 ? 0 : errno;
}

// A rename survives a power cut only once its folder is synced; not every file system can.
void sync_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.ok()) (void)::fsync(opened.get());
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  Descriptor file(path, O_RDONLY);
  if (!file.ok()) return file_error("read", path, errno);
  struct stat status;
  if (::fstat(file.get(), &status) != 0) return file_error("read", path, errno);
  if (S_ISDIR(status.st_mode)) return file_error("read", path, EISDIR);
  std::string bytes(static_cast<std::size_t>(status.st_size) + 1, '\0');  // one more: end of file
  std::size_t size = 0;
  while (true) {
    const auto got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

Status write_atomically(const std::filesystem::path& path, std::string_view bytes,
                        Readers readers) {
  const auto temporary = temporary_name(path);
  int reason = write_and_sync(temporary, bytes, readers);
  if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) reason = errno;
  if (reason != 0) {
    ::unlink(temporary.c_str());
    return file_error("write", path, reason);
  }
  sync_folder(path);
  return {};
}

Status write_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes,
                        Readers readers) {
  return write_atomically(
      path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), readers);
}

Status make_private_folder(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return file_error("make the folder", path, failed.value());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, failed);
  if (failed) return file_error("close to other users", path, failed.value());
  return {};
}

}  // namespace fedvs
