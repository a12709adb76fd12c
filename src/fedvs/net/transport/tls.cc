#include "fedvs/net/transport/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <span>

#include "fedvs/base/wipe.h"

namespace fedvs::transport {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

Owned<BIO> reader_of(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Owned<X509> certificate_in(const std::string& pem) {
  return Owned<X509>(PEM_read_bio_X509(reader_of(pem).get(), nullptr, nullptr, nullptr));
}

Owned<EVP_PKEY> key_in(const std::string& pem) {
  // A password is never asked for: a party starts without anybody at the keyboard.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  return Owned<EVP_PKEY>(
      PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr));
}

Error bad(const char* message) {
  ERR_clear_error();
  return {ErrorCode::kBadFile, message};
}

}  // namespace

Status check(const Tls& tls) {
  if (!certificate_in(tls.ca_pem)) {
    return bad("the CA's certificate is not a certificate in PEM form");
  }
  const auto certificate = certificate_in(tls.certificate_pem);
  if (!certificate) return bad("this party's certificate is not a certificate in PEM form");
  const auto key = key_in(tls.key_pem);
  if (!key) return bad("this party's key is not a private key in PEM form without a password");
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return bad("this party's private key and certificate do not belong together");
  }
  return {};
}

void wipe_key(Tls& tls) {
  wipe(std::span(tls.key_pem));
  tls.key_pem.clear();
}

}  // namespace fedvs::transport
