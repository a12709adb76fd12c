// A checkpoint: named blobs in one file that proves itself whole.
//   "FEDVSCKP"  u32 version  u32 parts  { u64 length, name, u64 length, bytes }*  SHA-256 of it all
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::store {

// Replaces an older checkpoint at once or not at all.
Status write_checkpoint(const std::filesystem::path& path,
                        const std::map<std::string, std::string>& parts);
// kBadFile if it cannot be read; kCorrupt if it is cut short, altered, of another format version,
// or something else altogether: with what to do about it, "put back a copy of it" and `remedy`.
Result<std::map<std::string, std::string>> read_checkpoint(
    const std::filesystem::path& path, std::string_view remedy = ", or train anew with --out DIR");

}  // namespace fedvs::store
