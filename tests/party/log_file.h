// What this process logs (stderr), to be read while it goes on.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/store/scratch_folder.h"

namespace fedvs::party::testing {

inline constexpr std::chrono::seconds kPatience{120};

class LogFile {
 public:
  explicit LogFile(std::filesystem::path path) : path_(std::move(path)), before_(::dup(2)) {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    FEDVS_CHECK(file >= 0 && ::dup2(file, 2) == 2, "the log goes to a file");
    ::close(file);
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() {
    ::dup2(before_, 2);
    ::close(before_);
  }

  std::string text() const { return contents_of(path_); }
  // How often it says so, so far.
  std::size_t count(const std::string& part) const {
    const std::string all = text();
    std::size_t found = 0;
    for (auto at = all.find(part); at != all.npos; at = all.find(part, at + 1)) ++found;
    return found;
  }
  // Whether it says so in time.
  bool wait_for(const std::string& part, std::size_t times = 1) const {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (count(part) < times) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // a file tells nobody
    }
    return true;
  }

 private:
  std::filesystem::path path_;
  int before_;
};

}  // namespace fedvs::party::testing
