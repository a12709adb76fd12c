#include "fedvs/study/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "fedvs/base/descriptor.h"

namespace fedvs::study {

Result<FolderLock> FolderLock::take(const Folder& folder) {
  FEDVS_TRY_STATUS(folder.make());
  const auto path = folder.lock_file();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0666);  // inherited: not close-on-exec
  if (file < 0) return file_error("write", path, errno);
  FolderLock lock(file);
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
  return Error{ErrorCode::kRefused,
               fmt::format("another fedvs is running in {}, or its runs are just being saved: wait "
                           "until it ends, or choose another folder with --out DIR",
                           folder.path().string())};
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace fedvs::study
