#include "fedvs/deploy/private_key.h"

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/pem.h>

#include <array>

#include "fedvs/deploy/openssl.h"

namespace fedvs::deploy {
namespace {

std::shared_ptr<EVP_PKEY> owned(EVP_PKEY* key) { return {key, EVP_PKEY_free}; }

}  // namespace

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  return key != nullptr && EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), nullptr) == 1 &&
         std::string_view(group.data()) == "prime256v1";
}

std::string public_der(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  must(size, "a public key has a DER form");
  std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

bool verifies(EVP_PKEY* key, std::string_view text, std::string_view signature) {
  const DigestContext context(must(EVP_MD_CTX_new(), "a digest context"));
  must(EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key), "ECDSA");
  return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

PrivateKey PrivateKey::generate() { return PrivateKey(owned(must(EVP_EC_gen("P-256"), "P-256"))); }

Result<PrivateKey> PrivateKey::from_pem(std::string_view pem, std::string_view where) {
  auto key = owned(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr));
  if (is_p256(key.get())) return PrivateKey(std::move(key));
  return Error{ErrorCode::kBadFile,
               fmt::format("{}: this is no private key on P-256 without a password; take the file "
                           "that fedvs init made",
                           where)};
}

SecretText PrivateKey::pem() const {
  const Bio out(must(BIO_new(BIO_s_secmem()), "a memory BIO"));  // zeroed when it goes
  must(PEM_write_bio_PKCS8PrivateKey(out.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr),
       "a key has a PEM form");
  return SecretText(written_to(out));
}

std::string PrivateKey::public_key() const { return public_der(key_.get()); }

std::string PrivateKey::sign(std::string_view text) const {
  const DigestContext context(must(EVP_MD_CTX_new(), "a digest context"));
  must(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()), "ECDSA");
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  must(EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()), "ECDSA");
  std::string signature(size, '\0');
  must(EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                      bytes, text.size()),
       "ECDSA");
  signature.resize(size);
  return signature;
}

}  // namespace fedvs::deploy
