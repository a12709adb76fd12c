#include "fedvs/cli/tail.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace fedvs::cli {
namespace {

std::streamoff size_of(const std::filesystem::path& file) {
  std::error_code failure;
  const auto size = std::filesystem::file_size(file, failure);
  return failure ? 0 : static_cast<std::streamoff>(size);
}

std::string text_from(const std::filesystem::path& file, std::streamoff from) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(from);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Tail::Tail(std::filesystem::path file) : file_(std::move(file)), read_to_(size_of(file_)) {}

std::vector<std::string> Tail::new_lines() {
  const std::string more = text_from(file_, read_to_);
  read_to_ += static_cast<std::streamoff>(more.size());
  waiting_ += more;
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = waiting_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    lines.push_back(waiting_.substr(begin, end - begin));
  }
  waiting_.erase(0, begin);
  return lines;
}

std::string last_line(const std::filesystem::path& file) {
  constexpr std::streamoff kEnough = 4096;
  const std::string text = text_from(file, std::max<std::streamoff>(0, size_of(file) - kEnough));
  const auto end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return {};
  const auto before = text.find_last_of("\r\n", end);
  const auto begin = before == std::string::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

}  // namespace fedvs::cli
