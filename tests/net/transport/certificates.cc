#include "tests/net/transport/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>

#include "fedvs/base/check.h"

namespace fedvs::transport::testing {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

std::string text_in(const Owned<BIO>& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  FEDVS_CHECK(PEM_write_bio_X509(out.get(), certificate) == 1, "writing a certificate");
  return text_in(out);
}

std::string pem_of(EVP_PKEY* key) {
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  FEDVS_CHECK(PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
              "writing a key");
  return text_in(out);
}

void extend(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  FEDVS_CHECK(extension && X509_add_ext(certificate, extension.get(), -1) == 1, value);
}

void name(X509_NAME* entry, const std::string& common_name) {
  X509_NAME_add_entry_by_txt(entry, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                             0);
}

Owned<X509> blank(const std::string& common_name, EVP_PKEY* key, Validity validity) {
  constexpr long kDay = 24 * 3600;
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  std::uint32_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial >> 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -10 * kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()),
                  validity == Validity::kToday ? 10 * kDay : -kDay);
  X509_set_pubkey(certificate.get(), key);
  name(X509_get_subject_name(certificate.get()), common_name);
  return certificate;
}

}  // namespace

struct Authority::Keys {
  Owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  Owned<X509> certificate;
};

Authority::Authority(const std::string& common_name) : keys_(std::make_unique<Keys>()) {
  keys_->certificate = blank(common_name, keys_->key.get(), Validity::kToday);
  X509* const own = keys_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  extend(own, own, NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(own, keys_->key.get(), EVP_sha256());
}

Authority::~Authority() = default;

Tls Authority::issue(const std::string& common_name, Validity validity) const {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const auto certificate = blank(common_name, key.get(), validity);
  X509* const issuer = keys_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  extend(certificate.get(), issuer, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
  X509_sign(certificate.get(), keys_->key.get(), EVP_sha256());
  return {.ca_pem = pem_of(issuer),
          .certificate_pem = pem_of(certificate.get()),
          .key_pem = pem_of(key.get())};
}

std::string common_name_of(const std::string& certificate_pem) {
  const Owned<BIO> in(
      BIO_new_mem_buf(certificate_pem.data(), static_cast<int>(certificate_pem.size())));
  const Owned<X509> certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (!certificate) return {};
  std::array<char, 200> text{};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, text.data(),
                            static_cast<int>(text.size()));
  return text.data();
}

}  // namespace fedvs::transport::testing
