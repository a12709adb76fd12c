// Log files that somebody else is writing.
#pragma once
#include <filesystem>
#include <ios>
#include <string>
#include <vector>

namespace fedvs::cli {

// The lines that are added to a file from now on. The file may come later.
class Tail {
 public:
  explicit Tail(std::filesystem::path file);
  std::vector<std::string> new_lines();  // whole ones only

 private:
  std::filesystem::path file_;
  std::streamoff read_to_ = 0;
  std::string waiting_;  // read, and not yet given out
};

// The last line that is not empty, of its last few kilobytes; "" if there is none.
std::string last_line(const std::filesystem::path& file);

}  // namespace fedvs::cli
