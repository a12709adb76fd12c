// A file that grows by whole lines, and can be cut back to a round when a run resumes.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::store {

class LineLog {
 public:
  // What a line (without its end) says about rounds; kCorrupt if it is no line of this file.
  using RoundOf = std::function<Result<std::optional<std::int64_t>>(std::string_view line)>;

  static Result<LineLog> create(const std::filesystem::path& path);  // empty, whatever was there
  // Cuts after the last line of a round <= `round`, keeping lines that precede all rounds. A torn
  // last line goes. A file with any other line that is not what it should be is set aside with a
  // warning, and an empty one begun: such a log is of the past, nothing depends on it.
  static Result<LineLog> resume(const std::filesystem::path& path, std::int64_t round,
                                const RoundOf& round_of);
  LineLog(LineLog&& other) noexcept;
  LineLog& operator=(LineLog&&) = delete;
  ~LineLog();

  bool empty() const;
  // Handed to the operating system before it returns, so it survives this process.
  Status append(std::string_view line);

 private:
  LineLog(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  static Result<LineLog> open(const std::filesystem::path& path, int flags);
  std::filesystem::path path_;
  int file_;
};

}  // namespace fedvs::store
