// Whole files, plain or gzip: which of the two is told by the first bytes, not by the name.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::data {

// kBadFile when the file is missing, truncated or damaged.
Result<std::string> read_maybe_gzip(const std::string& path);
// `name` is for messages. Several gzip members one after the other are joined, as gunzip does.
Result<std::string> gunzip(std::string_view bytes, const std::string& name);

}  // namespace fedvs::data
