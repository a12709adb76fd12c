#include "fedvs/cli/output_file.h"

#include <fmt/format.h>

#include <system_error>

namespace fedvs::cli {

Status check_output(const std::string& flag, const std::filesystem::path& out,
                    const std::vector<std::filesystem::path>& inputs) {
  std::error_code failure;
  if (out.empty() || !std::filesystem::exists(out, failure)) return {};
  if (std::filesystem::is_directory(out, failure)) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("{} {} is a folder; name a file", flag, out.string())};
  }
  for (const auto& input : inputs) {
    if (!std::filesystem::equivalent(out, input, failure)) continue;
    return Error{
        ErrorCode::kBadJob,
        fmt::format("{} {} is {} that this command reads; name another file", flag, out.string(),
                    out == input ? "a file" : "the same file as " + input.string() + ",")};
  }
  return {};
}

}  // namespace fedvs::cli
