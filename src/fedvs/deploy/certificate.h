// A certificate: a public key, a name, and until when the authority vouches for both.
#pragma once
#include <ctime>
#include <memory>
#include <string>
#include <string_view>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

struct x509_st;  // of OpenSSL

namespace fedvs::deploy {

class Certificate {
 public:
  // One certificate with a key on P-256; kRefused, naming `where`, for anything else.
  static Result<Certificate> from_pem(std::string_view pem, std::string_view where);
  explicit Certificate(std::shared_ptr<x509_st> certificate)
      : certificate_(std::move(certificate)) {}

  std::string pem() const;
  Digest fingerprint() const;  // SHA-256 of the DER form: `openssl x509 -fingerprint -sha256`
  std::string common_name() const;
  std::string public_key() const;  // DER of SubjectPublicKeyInfo
  std::time_t begins() const;
  std::time_t expires() const;
  bool issued_by(const Certificate& authority) const;  // its signature; not the dates
  // A signature of PrivateKey::sign by the key of this certificate.
  bool verifies(std::string_view text, std::string_view signature) const;
  x509_st* handle() const { return certificate_.get(); }

 private:
  std::shared_ptr<x509_st> certificate_;
};

// kRefused, with the dates and the remedy, if `now` lies outside the certificate's.
Status check_dates(const Certificate& certificate, std::string_view whose, std::time_t now);

}  // namespace fedvs::deploy
