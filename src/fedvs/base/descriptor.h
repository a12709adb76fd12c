// An open file of the system, closed when it goes, and the errors that come of it.
#pragma once
#include <filesystem>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags, unsigned mode = 0666);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }  // errno tells why not

 private:
  int fd_;
};

// kBadFile: "cannot <action> <path>: <the system's reason>; <what to do>".
Error file_error(std::string_view action, const std::filesystem::path& path, int reason);

}  // namespace fedvs
