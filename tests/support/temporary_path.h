// Another place for temporary files, for tests.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace fedvs::testing {

// TMPDIR is `folder` while the object lives.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::filesystem::path& folder) {
    if (const char* name = std::getenv("TMPDIR")) before_ = name;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

 private:
  std::optional<std::string> before_;
};

}  // namespace fedvs::testing
