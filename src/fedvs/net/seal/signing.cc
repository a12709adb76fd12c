#include "fedvs/net/seal/signing.h"

#include <sodium.h>

#include <algorithm>

#include "fedvs/base/check.h"

namespace fedvs::seal {
namespace {

static_assert(crypto_sign_SEEDBYTES == kKeyBytes && crypto_sign_PUBLICKEYBYTES == kKeyBytes);
static_assert(crypto_sign_SECRETKEYBYTES == 2 * kKeyBytes && crypto_sign_BYTES == 64);

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

SigningKey SigningKey::generate() { return of(SecretKey::generate()); }

SigningKey SigningKey::of(SecretKey seed) {
  PublicKey public_key;
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret;
  const int status =
      crypto_sign_seed_keypair(public_key.data(), secret.data(), seed.bytes().data());
  sodium_memzero(secret.data(), secret.size());
  FEDVS_CHECK(status == 0, "every seed has a key pair");
  return {public_key, std::move(seed)};
}

Signature SigningKey::sign(std::string_view text) const {
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret;
  std::ranges::copy(seed.bytes(), secret.begin());
  std::ranges::copy(public_key, secret.begin() + kKeyBytes);
  Signature signature;
  const int status =
      crypto_sign_detached(signature.data(), nullptr, bytes_of(text), text.size(), secret.data());
  sodium_memzero(secret.data(), secret.size());
  FEDVS_CHECK(status == 0, "signing cannot fail");
  return signature;
}

bool verify(const PublicKey& key, std::string_view text, const Signature& signature) {
  return crypto_sign_verify_detached(signature.data(), bytes_of(text), text.size(), key.data()) ==
         0;
}

}  // namespace fedvs::seal
