// One command at a time in a folder: two would pull run folders and study.json from under each
// other.
#pragma once
#include <filesystem>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/experiments/folder.h"

namespace fedvs::experiments {

// Held until this object is gone and all processes that were started meanwhile have ended: runs
// that outlive a killed sweep still write.
class FolderLock {
 public:
  // Makes the folder where it is missing. kRefused while somebody else holds it; kBadFile.
  static Result<FolderLock> take(const Folder& folder);
  // The same for any folder that exists, by a file in it; `flag` chooses another folder.
  static Result<FolderLock> take(const std::filesystem::path& folder,
                                 const std::filesystem::path& lock_file, std::string_view flag);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;  // -1: moved from
};

}  // namespace fedvs::experiments
