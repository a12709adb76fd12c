#include "fedvs/net/seal/keys.h"

#include <sodium.h>

#include <algorithm>

#include "fedvs/base/check.h"

namespace fedvs::seal {
namespace {

void make_library_ready() {
  static const int status = sodium_init();  // 1: somebody else did it before
  FEDVS_CHECK(status >= 0, "libsodium finds no source of randomness");
}

}  // namespace

void SecretKey::Free::operator()(std::uint8_t* memory) const { sodium_free(memory); }

SecretKey::SecretKey() {
  make_library_ready();
  memory_.reset(static_cast<std::uint8_t*>(sodium_malloc(kKeyBytes)));
  FEDVS_CHECK(memory_ != nullptr, "there is memory for a key");
}

SecretKey SecretKey::generate() {
  SecretKey key;
  randombytes_buf(key.data(), kKeyBytes);
  return key;
}

SecretKey SecretKey::copy_of(std::span<const std::uint8_t, kKeyBytes> bytes) {
  SecretKey key;
  std::ranges::copy(bytes, key.data());
  return key;
}

bool operator==(const SecretKey& a, const SecretKey& b) {
  return sodium_memcmp(a.memory_.get(), b.memory_.get(), kKeyBytes) == 0;
}

KeyPair KeyPair::generate() { return of(SecretKey::generate()); }

KeyPair KeyPair::of(SecretKey secret_key) {
  PublicKey public_key;
  const int status = crypto_scalarmult_base(public_key.data(), secret_key.bytes().data());
  FEDVS_CHECK(status == 0, "every secret key has a public one");
  return {public_key, std::move(secret_key)};
}

}  // namespace fedvs::seal
