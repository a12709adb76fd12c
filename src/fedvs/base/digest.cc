#include "fedvs/base/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>

#include "fedvs/base/check.h"
#include "fedvs/base/wipe.h"

namespace fedvs {

// Small pieces are gathered before OpenSSL sees them: most of what is hashed is numbers.
struct Hasher::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  std::array<std::uint8_t, 512> pending;
  std::size_t size = 0;

  ~Context() {
    EVP_MD_CTX_free(md);
    wipe(std::span(pending).first(size));
  }
  void update(std::span<const std::uint8_t> bytes) {
    FEDVS_CHECK(EVP_DigestUpdate(md, bytes.data(), bytes.size()) == 1, "SHA-256 failed");
  }
  void flush() {
    update(std::span(pending).first(size));
    wipe(std::span(pending).first(size));
    size = 0;
  }
};

Hasher::Hasher() : context_(std::make_unique<Context>()) {
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);  // slow: once
  FEDVS_CHECK(EVP_DigestInit_ex(context_->md, sha256, nullptr) == 1, "no SHA-256");
}
Hasher::~Hasher() = default;

Hasher& Hasher::add(std::span<const std::uint8_t> bytes) {
  if (context_->size + bytes.size() > context_->pending.size()) context_->flush();
  if (bytes.size() > context_->pending.size()) {
    context_->update(bytes);
  } else {
    std::ranges::copy(bytes,
                      context_->pending.begin() + static_cast<std::ptrdiff_t>(context_->size));
    context_->size += bytes.size();
  }
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
  context_->flush();
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
