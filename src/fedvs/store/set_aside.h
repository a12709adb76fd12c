// Records of the past that were damaged: out of the way of new ones, for whoever wants to look.
#pragma once
#include <filesystem>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::store {

// Renames `path` to `path`.damaged-N, with the first N from 1 on that is free, and warns of it:
// `what` is wrong with it. kBadFile.
Status set_aside(const std::filesystem::path& path, std::string_view what);
// The same with a copy, where what is whole of the file stays in use.
Status copy_aside(const std::filesystem::path& path, std::string_view what);

}  // namespace fedvs::store
