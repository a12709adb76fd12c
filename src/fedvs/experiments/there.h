// Whether a path leads anywhere, without exceptions.
#pragma once
#include <filesystem>
#include <system_error>

#include "fedvs/base/descriptor.h"
#include "fedvs/base/result.h"

namespace fedvs::experiments {

// kBadFile where that cannot be told, as in a folder that one may not enter.
inline Result<bool> is_there(const std::filesystem::path& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::none) {
    return file_error("look at", path, failure.value());
  }
  return std::filesystem::exists(status);
}

}  // namespace fedvs::experiments
