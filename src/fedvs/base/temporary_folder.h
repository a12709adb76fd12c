// A folder for its owner's eyes alone, below $TMPDIR or /tmp, that goes with the object.
#pragma once
#include <filesystem>

#include "fedvs/base/result.h"

namespace fedvs {

class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();  // kBadFile

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();  // with all that is in it

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;  // empty: moved from
};

}  // namespace fedvs
