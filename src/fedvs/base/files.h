// Whole files in, whole files out: a reader never sees half of what a writer wrote.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs {

// kBadFile with the path and the system's reason.
Result<std::string> read_file(const std::filesystem::path& path);
// Written beside `path` under a temporary name, synced, then renamed over it. On failure `path` is
// as it was and nothing is left behind.
Status write_atomically(const std::filesystem::path& path, std::string_view bytes);
Status write_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);

}  // namespace fedvs
