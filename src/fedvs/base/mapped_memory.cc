#include "fedvs/base/mapped_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "fedvs/base/descriptor.h"

namespace fedvs {
namespace {

std::string making(std::size_t size) { return fmt::format("make a file of {} bytes at", size); }

// 0, or the errno of what failed.
int allocate(int file, std::size_t size) {
  if (size > static_cast<std::size_t>(std::numeric_limits<off_t>::max())) return EFBIG;
  if (size == 0) return 0;
  int reason;
  do {
    reason = ::posix_fallocate(file, 0, static_cast<off_t>(size));
  } while (reason == EINTR);
  return reason;
}

// nullptr for 0 bytes, which cannot be mapped; MAP_FAILED with errno set.
std::uint8_t* map(int file, std::size_t size) {
  if (size == 0) return nullptr;
  return static_cast<std::uint8_t*>(
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
}

}  // namespace

Result<MappedMemory> MappedMemory::create(std::filesystem::path path, std::size_t size) {
  // Not truncated but removed: another process may still have the old file mapped.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return file_error("replace", path, errno);
  const Descriptor file(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (!file.ok()) return file_error(making(size), path, errno);
  int reason = allocate(file.get(), size);
  std::uint8_t* const bytes = reason == 0 ? map(file.get(), size) : nullptr;
  if (bytes == MAP_FAILED) reason = errno;
  if (reason != 0) {
    ::unlink(path.c_str());
    return file_error(making(size), path, reason);
  }
  return MappedMemory(std::move(path), bytes, size, /*kept=*/false);
}

Result<MappedMemory> MappedMemory::open(std::filesystem::path path, std::size_t size) {
  const Descriptor file(path, O_RDWR);
  struct stat status;
  if (!file.ok() || ::fstat(file.get(), &status) != 0) return file_error("open", path, errno);
  if (!S_ISREG(status.st_mode)) return file_error("map", path, ENODEV);
  if (static_cast<std::size_t>(status.st_size) != size) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} has {} bytes, but {} were expected; remove it so that it is made "
                             "again",
                             path.string(), status.st_size, size)};
  }
  std::uint8_t* const bytes = map(file.get(), size);
  if (bytes == MAP_FAILED) return file_error("map", path, errno);
  return MappedMemory(std::move(path), bytes, size, /*kept=*/true);
}

Result<MappedMemory> MappedMemory::open_or_create(const std::filesystem::path& path,
                                                  std::size_t size) {
  std::error_code unreadable;
  if (std::filesystem::file_size(path, unreadable) == size && !unreadable) return open(path, size);
  FEDVS_TRY(auto memory, create(path, size));
  memory.keep();
  return memory;
}

MappedMemory::MappedMemory(std::filesystem::path path, std::uint8_t* bytes, std::size_t size,
                           bool kept)
    : path_(std::move(path)), bytes_(bytes), size_(size), kept_(kept) {}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept { *this = std::move(other); }

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  path_ = std::move(other.path_);
  bytes_ = std::exchange(other.bytes_, nullptr);
  size_ = std::exchange(other.size_, 0);
  kept_ = std::exchange(other.kept_, true);
  return *this;
}

MappedMemory::~MappedMemory() { release(); }

void MappedMemory::release() {
  if (bytes_ != nullptr) ::munmap(bytes_, size_);
  if (!kept_) ::unlink(path_.c_str());
}

Status MappedMemory::sync() {
  if (size_ > 0 && ::msync(bytes_, size_, MS_SYNC) != 0) return file_error("write", path_, errno);
  return {};
}

}  // namespace fedvs
