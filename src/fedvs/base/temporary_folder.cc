#include "fedvs/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "fedvs/base/descriptor.h"

namespace fedvs {

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code reason;
  const auto parent = std::filesystem::temp_directory_path(reason);
  // The standard library does not say which folder it was that TMPDIR named.
  if (reason) return file_error("make a folder in", "TMPDIR", reason.value());
  std::string name = (parent / "fedvs-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return file_error("make a folder in", parent, errno);
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace fedvs
