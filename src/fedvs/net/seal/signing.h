// Signatures that anybody can check: Ed25519 (RFC 8032). Whoever signs cannot deny it later.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "fedvs/net/seal/keys.h"

namespace fedvs::seal {

using Signature = std::array<std::uint8_t, 64>;

struct SigningKey {
  PublicKey public_key;
  SecretKey seed;  // the secret key's first half; the public key is the other
  static SigningKey generate();
  static SigningKey of(SecretKey seed);
  Signature sign(std::string_view text) const;
};

bool verify(const PublicKey& key, std::string_view text, const Signature& signature);

}  // namespace fedvs::seal
