#include "fedvs/store/set_aside.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "fedvs/base/log.h"

namespace fedvs::store {
namespace {

namespace fs = std::filesystem;

fs::path free_name(const fs::path& path) {
  std::error_code ignored;
  for (int n = 1;; ++n) {
    fs::path name = fmt::format("{}.damaged-{}", path.string(), n);
    if (!fs::exists(fs::symlink_status(name, ignored))) return name;
  }
}

Status cannot(const fs::path& path, const std::error_code& reason) {
  return Error{ErrorCode::kBadFile,
               fmt::format("{} is damaged and cannot be set aside: {}; move it away by hand",
                           path.string(), reason.message())};
}

}  // namespace

Status set_aside(const fs::path& path, std::string_view what) {
  const auto aside = free_name(path);
  std::error_code failed;
  fs::rename(path, aside, failed);
  if (failed) return cannot(path, failed);
  log::warning("{} is damaged: {}; set aside as {} and begun anew", path.string(), what,
               aside.filename().string());
  return {};
}

Status copy_aside(const fs::path& path, std::string_view what) {
  const auto aside = free_name(path);
  std::error_code failed;
  fs::copy_file(path, aside, failed);
  if (failed) return cannot(path, failed);
  log::warning("{} is damaged: {}; set aside as {}, and what is whole of it goes on", path.string(),
               what, aside.filename().string());
  return {};
}

}  // namespace fedvs::store
