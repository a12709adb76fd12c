#include "fedvs/base/hmac.h"

#include "fedvs/base/wipe.h"

namespace fedvs {
namespace {

// One side of it: the key, padded to a block of SHA-256, before the message.
Digest padded_hash(const Key256& key, std::uint8_t pad, std::span<const std::uint8_t> message) {
  std::array<std::uint8_t, 64> block;
  block.fill(pad);
  for (std::size_t i = 0; i < key.size(); ++i) block[i] ^= key[i];
  Digest digest = Hasher().add(std::span<const std::uint8_t>(block)).add(message).finish();
  wipe(std::span(block));
  return digest;
}

}  // namespace

Digest hmac_sha256(const Key256& key, std::span<const std::uint8_t> message) {
  return padded_hash(key, 0x5c, padded_hash(key, 0x36, message));
}

}  // namespace fedvs
