#include "fedvs/data/row_ids.h"

#include <array>
#include <span>
#include <string_view>

#include "fedvs/base/wipe.h"

namespace fedvs::data {
namespace {

// Bumped when what is hashed changes, so that programs of different versions differ at once.
constexpr std::string_view kContext = "fedvs row ids, version 1";

// Lengths before contents: no two lists give the same bytes.
Digest plain_digest(const RowIds& rows) {
  Hasher hasher;
  hasher.add_u64(kContext.size()).add(kContext).add_u64(rows.ids.size());
  for (const std::string& id : rows.ids) hasher.add_u64(id.size()).add(id);
  hasher.add_u64(rows.test.size());
  for (const bool test : rows.test) hasher.add(test ? "1" : "0");
  hasher.add_u64(rows.subjects.size());
  for (const std::int64_t subject : rows.subjects)
    hasher.add_u64(static_cast<std::uint64_t>(subject));
  return hasher.finish();
}

// HMAC-SHA-256 (RFC 2104), one side of it: the key, padded to a block, over `message`.
Digest padded_hash(const Key256& key, std::uint8_t pad, const Digest& message) {
  std::array<std::uint8_t, 64> block;
  block.fill(pad);
  for (std::size_t i = 0; i < key.size(); ++i) block[i] ^= key[i];
  Digest digest = Hasher().add(std::span<const std::uint8_t>(block)).add(message).finish();
  wipe(std::span(block));
  return digest;
}

}  // namespace

Digest row_ids_digest(const Key256* key, const RowIds& rows) {
  const Digest plain = plain_digest(rows);
  if (key == nullptr) return plain;
  return padded_hash(*key, 0x5c, padded_hash(*key, 0x36, plain));
}

}  // namespace fedvs::data
