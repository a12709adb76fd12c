// A party's or the authority's key for TLS and signatures: ECDSA over P-256 with SHA-256.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/deploy/key_file.h"

struct evp_pkey_st;  // of OpenSSL

namespace fedvs::deploy {

class PrivateKey {
 public:
  static PrivateKey generate();
  // kBadFile, naming `where`, unless it is such a key without a password.
  static Result<PrivateKey> from_pem(std::string_view pem, std::string_view where);
  SecretText pem() const;
  std::string public_key() const;                 // DER of SubjectPublicKeyInfo
  std::string sign(std::string_view text) const;  // randomised: never the same twice
  evp_pkey_st* handle() const { return key_.get(); }

 private:
  explicit PrivateKey(std::shared_ptr<evp_pkey_st> key) : key_(std::move(key)) {}
  std::shared_ptr<evp_pkey_st> key_;  // OpenSSL zeroes it when the last owner goes
};

}  // namespace fedvs::deploy
