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
// Who may read a new file: as the umask says, or its owner alone whatever it says.
enum class Readers { kUsual, kOwner };
// Written beside `path` under a temporary name, synced, then renamed over it. On failure `path` is
// as it was and nothing is left behind.
Status write_atomically(const std::filesystem::path& path, std::string_view bytes,
                        Readers readers = Readers::kUsual);
Status write_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes,
                        Readers readers = Readers::kUsual);
// Makes it with its parents, or takes one that is there; for its owner alone, mode 0700. kBadFile.
Status make_private_folder(const std::filesystem::path& path);

}  // namespace fedvs
