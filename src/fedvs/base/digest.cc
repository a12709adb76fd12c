#include "fedvs/base/digest.h"

#include <openssl/evp.h>

#include "fedvs/base/check.h"

namespace fedvs {

struct Hasher::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(md); }
};

Hasher::Hasher() : context_(std::make_unique<Context>()) {
  FEDVS_CHECK(EVP_DigestInit_ex(context_->md, EVP_sha256(), nullptr) == 1, "no SHA-256");
}
Hasher::~Hasher() = default;

Hasher& Hasher::add(std::span<const std::uint8_t> bytes) {
  FEDVS_CHECK(EVP_DigestUpdate(context_->md, bytes.data(), bytes.size()) == 1, "SHA-256 failed");
  return *this;
}

Hasher& Hasher::add(std::string_view text) {
  return add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

Hasher& Hasher::add_u64(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
  return add(std::span<const std::uint8_t>(bytes));
}

Digest Hasher::finish() {
  Digest digest;
  FEDVS_CHECK(EVP_DigestFinal_ex(context_->md, digest.data(), nullptr) == 1, "SHA-256 failed");
  return digest;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace fedvs
