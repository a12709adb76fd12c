// Files with secrets: for their owner's eyes alone, from the moment they are made.
#pragma once
#include <filesystem>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/base/secret_text.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::deploy {

// A new file with mode 0600, synced. kRefused if there is one of that name, kBadFile if it cannot
// be written; then no file is left.
Status write_key_file(const std::filesystem::path& path, std::string_view secret);
// kRefused, with the command that mends it, for a file that others can read or write, that belongs
// to another user, or that is no plain file (a link, a pipe); kBadFile if it cannot be read.
Result<SecretText> read_key_file(const std::filesystem::path& path);

// 32 secret bytes as hex, in such files.
Status write_secret_key(const std::filesystem::path& path, const seal::SecretKey& key);
Result<seal::SecretKey> read_secret_key(const std::filesystem::path& path);

}  // namespace fedvs::deploy
