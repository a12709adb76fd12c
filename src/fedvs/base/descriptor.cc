#include "fedvs/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace fedvs {
namespace {

std::string_view remedy(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another folder";
    case EFBIG:
      return "; raise the limit on file sizes (ulimit -f) or choose another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; check the permissions or choose another folder";
    case ENOENT:
      return "; check the path";
    default:
      return "";
  }
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags, unsigned mode)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Error file_error(std::string_view action, const std::filesystem::path& path, int reason) {
  return {ErrorCode::kBadFile,
          fmt::format("cannot {} {}: {}{}", action, path.string(),
                      std::generic_category().message(reason), remedy(reason))};
}

}  // namespace fedvs
