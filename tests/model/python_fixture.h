// Python's torch as an oracle: /usr/bin/python3 is the one that Debian's python3-torch belongs to.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fedvs::model {

inline bool python_has_torch() {
  static const bool has = std::system("/usr/bin/python3 -c 'import torch' >/dev/null 2>&1") == 0;
  return has;
}

// Runs tests/model/<script> with one argument; true if it succeeded.
inline bool run_python(const std::string& script, const std::filesystem::path& argument) {
  const std::string command =
      "/usr/bin/python3 '" FEDVS_MODEL_SCRIPTS "/" + script + "' '" + argument.string() + "'";
  return std::system(command.c_str()) == 0;
}

// A folder of this process alone, gone with the object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("fedvs-" + name + "-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fedvs::model

#define FEDVS_NEEDS_PYTHON_TORCH()         \
  if (!::fedvs::model::python_has_torch()) \
  GTEST_SKIP() << "skipped: /usr/bin/python3 has no torch (Debian package python3-torch)"
