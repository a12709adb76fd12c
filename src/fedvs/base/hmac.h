// HMAC-SHA-256 (RFC 2104) under a key of 32 bytes: a pseudorandom function of the message.
#pragma once
#include "fedvs/base/digest.h"
#include "fedvs/base/prng.h"

namespace fedvs {

Digest hmac_sha256(const Key256& key, std::span<const std::uint8_t> message);

}  // namespace fedvs
