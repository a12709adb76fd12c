#include "fedvs/deploy/authority.h"

#include <fmt/format.h>

#include "fedvs/deploy/openssl.h"
#include "fedvs/deploy/utc_time.h"

namespace fedvs::deploy {
namespace {

constexpr int kSerialBits = 127;  // positive in 16 bytes

struct Contents {
  std::string common_name;
  EVP_PKEY* key;
  Validity validity;
};

void set_serial(X509* certificate) {
  const BigNumber serial(must(BN_new(), "a number"));
  must(BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), "random bits");
  must(BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)), "a serial number");
}

std::shared_ptr<X509> blank(const Contents& contents) {
  std::shared_ptr<X509> made(must(X509_new(), "a certificate"), X509_free);
  must(X509_set_version(made.get(), X509_VERSION_3), "version 3");
  set_serial(made.get());
  must(ASN1_TIME_set(X509_getm_notBefore(made.get()), contents.validity.from), "a date");
  must(ASN1_TIME_set(X509_getm_notAfter(made.get()), contents.validity.to), "a date");
  const auto& name = contents.common_name;
  must(X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                                  reinterpret_cast<const unsigned char*>(name.data()),
                                  static_cast<int>(name.size()), -1, 0),
       "a common name of 1 to 64 characters");
  must(X509_set_pubkey(made.get(), contents.key), "a certificate's key");
  return made;
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(
      must(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()), value));
  must(X509_add_ext(certificate, extension.get(), -1), value);
}

void sign(X509* certificate, X509* issuer, const PrivateKey& key) {
  must(X509_set_issuer_name(certificate, X509_get_subject_name(issuer)), "an issuer");
  must(X509_sign(certificate, key.handle(), EVP_sha256()), "ECDSA");
}

std::string alternative_names(const Address& address) {
  if (address.is_loopback()) return "DNS:localhost,IP:127.0.0.1,IP:::1";
  return fmt::format("{}:{}", address.is_ip() ? "IP" : "DNS", address.host);
}

Certificate certify(const Authority& authority, const Contents& contents, const std::string& usage,
                    const std::string& names) {
  const auto made = blank(contents);
  X509* issuer = authority.certificate.handle();
  extend(made.get(), issuer, NID_basic_constraints, "critical,CA:FALSE");
  extend(made.get(), issuer, NID_key_usage, "critical,digitalSignature");
  extend(made.get(), issuer, NID_ext_key_usage, usage);
  if (!names.empty()) extend(made.get(), issuer, NID_subject_alt_name, names);
  extend(made.get(), issuer, NID_subject_key_identifier, "hash");
  extend(made.get(), issuer, NID_authority_key_identifier, "keyid:always");
  sign(made.get(), issuer, authority.key);
  return Certificate(made);
}

}  // namespace

Validity Validity::days_from(std::time_t now, int days) {
  return {now - 60 * 60, now + days * kDay};
}

Authority Authority::make(const std::string& name, Validity validity) {
  auto key = PrivateKey::generate();
  const auto made = blank({name, key.handle(), validity});
  extend(made.get(), made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(made.get(), made.get(), NID_key_usage, "critical,keyCertSign,cRLSign,digitalSignature");
  extend(made.get(), made.get(), NID_subject_key_identifier, "hash");
  sign(made.get(), made.get(), key);
  return {Certificate(made), std::move(key)};
}

Certificate Authority::certify_server(const PrivateKey& server, const Address& address,
                                      Validity validity) const {
  return certify(*this, {"FedVS server", server.handle(), validity}, "serverAuth",
                 alternative_names(address));
}

Certificate Authority::certify_client(const SigningRequest& request, const std::string& name,
                                      Validity validity) const {
  return certify(*this, {name, X509_REQ_get0_pubkey(request.handle()), validity}, "clientAuth", "");
}

}  // namespace fedvs::deploy
