// What a client sends to be certified (PKCS #10): its public key and name, signed with that key.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/deploy/private_key.h"

struct X509_req_st;  // of OpenSSL

namespace fedvs::deploy {

class SigningRequest {
 public:
  static SigningRequest make(const PrivateKey& key, const std::string& name);
  // kRefused unless it has a key on P-256 and that key signed it.
  static Result<SigningRequest> from_pem(std::string_view pem, std::string_view where);
  std::string pem() const;
  std::string common_name() const;
  std::string public_key() const;  // DER of SubjectPublicKeyInfo
  // A signature of PrivateKey::sign by the key in this request.
  bool verifies(std::string_view text, std::string_view signature) const;
  X509_req_st* handle() const { return request_.get(); }

 private:
  explicit SigningRequest(std::shared_ptr<X509_req_st> request) : request_(std::move(request)) {}
  std::shared_ptr<X509_req_st> request_;
};

}  // namespace fedvs::deploy
