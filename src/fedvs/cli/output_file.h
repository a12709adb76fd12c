// Where a command may write.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::cli {

// kBadJob if `out` is one of the files that the command reads, by whatever name or link, or a
// folder. An empty `out` is stdout. `flag` names the option, for the message.
Status check_output(const std::string& flag, const std::filesystem::path& out,
                    const std::vector<std::filesystem::path>& inputs);

}  // namespace fedvs::cli
