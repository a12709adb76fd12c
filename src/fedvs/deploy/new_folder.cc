#include "fedvs/deploy/new_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "fedvs/base/descriptor.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

Error occupied(const fs::path& place) {
  return {ErrorCode::kRefused,
          fmt::format("{} exists already and is never overwritten: choose another folder with "
                      "--dir DIR",
                      place.string())};
}

// 0, or the errno of what failed: EEXIST if something is there.
int rename_to_free(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Some network file systems do not know the flag; rename() replaces at most an empty folder.
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(to, ignored))) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

void sync_folder(const fs::path& folder) {  // not every file system can
  Descriptor opened(folder, O_RDONLY | O_DIRECTORY);
  if (opened.ok()) (void)::fsync(opened.get());
}

}  // namespace

Result<NewFolder> NewFolder::begin(const fs::path& place) {
  const fs::path whole = fs::absolute(place).lexically_normal();
  const fs::path target = whole.has_filename() ? whole : whole.parent_path();  // "deploy/"
  std::error_code failure;
  if (fs::exists(fs::symlink_status(target, failure))) return occupied(place);
  fs::create_directories(target.parent_path(), failure);
  if (failure) return file_error("make the folder", target.parent_path(), failure.value());
  std::string temporary = target.string() + ".partial-XXXXXX";
  if (::mkdtemp(temporary.data()) == nullptr) return file_error("make the folder", place, errno);
  return NewFolder(target, temporary);
}

NewFolder::NewFolder(NewFolder&& other) noexcept
    : place_(std::move(other.place_)), temporary_(std::exchange(other.temporary_, {})) {}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Status NewFolder::commit() {
  sync_folder(temporary_);
  if (const int reason = rename_to_free(temporary_, place_); reason != 0) {
    return reason == EEXIST ? occupied(place_) : file_error("make the folder", place_, reason);
  }
  temporary_.clear();
  sync_folder(place_.parent_path());
  return {};
}

Status make_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return file_error("make the folder", path, errno);
  return {};
}

}  // namespace fedvs::deploy
