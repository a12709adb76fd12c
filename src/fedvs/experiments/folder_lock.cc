#include "fedvs/experiments/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fedvs/base/descriptor.h"

namespace fedvs::experiments {

Result<FolderLock> FolderLock::take(const Folder& folder) {
  FEDVS_TRY_STATUS(folder.make());
  return take(folder.path(), folder.lock_file(), "--out");
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder,
                                    const std::filesystem::path& lock_file, std::string_view flag) {
  const int file =
      ::open(lock_file.c_str(), O_RDWR | O_CREAT, 0666);  // inherited: not close-on-exec
  if (file < 0) return file_error("write", lock_file, errno);
  FolderLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  return Error{ErrorCode::kRefused,
               fmt::format("another fedvs is running in {}, or its runs are just being saved: wait "
                           "until it ends, or choose another folder with {} DIR",
                           folder.string(), flag)};
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace fedvs::experiments
