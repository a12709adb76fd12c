#include "fedvs/deploy/certificate.h"

#include <fmt/format.h>
#include <openssl/pem.h>

#include "fedvs/deploy/openssl.h"
#include "fedvs/deploy/utc_time.h"

namespace fedvs::deploy {
namespace {

std::time_t moment(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

Error refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

}  // namespace

std::string common_name_of(const X509_NAME* name) {
  const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(name, NID_commonName, at) >= 0) return "";
  unsigned char* text = nullptr;
  const int size =
      ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
  if (size < 0) return "";
  std::string out(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return out;
}

Result<Certificate> Certificate::from_pem(std::string_view pem, std::string_view where) {
  const Bio in = reader_of(pem);
  std::shared_ptr<X509> read(PEM_read_bio_X509(in.get(), nullptr, no_password, nullptr), X509_free);
  if (read == nullptr) return refused(fmt::format("{}: this is no certificate (PEM)", where));
  if (!is_p256(X509_get0_pubkey(read.get()))) {
    return refused(fmt::format("{}: the certificate's key is not on P-256", where));
  }
  return Certificate(std::move(read));
}

std::string Certificate::pem() const {
  const Bio out(must(BIO_new(BIO_s_mem()), "a memory BIO"));
  must(PEM_write_bio_X509(out.get(), certificate_.get()), "a certificate has a PEM form");
  return std::string(written_to(out));
}

Digest Certificate::fingerprint() const {
  Digest digest;
  must(X509_digest(certificate_.get(), EVP_sha256(), digest.data(), nullptr), "SHA-256");
  return digest;
}

std::string Certificate::common_name() const {
  return common_name_of(X509_get_subject_name(certificate_.get()));
}

std::string Certificate::public_key() const {
  return public_der(X509_get0_pubkey(certificate_.get()));
}

std::time_t Certificate::begins() const { return moment(X509_get0_notBefore(certificate_.get())); }
std::time_t Certificate::expires() const { return moment(X509_get0_notAfter(certificate_.get())); }

bool Certificate::issued_by(const Certificate& authority) const {
  return X509_check_issued(authority.handle(), certificate_.get()) == X509_V_OK &&
         X509_verify(certificate_.get(), X509_get0_pubkey(authority.handle())) == 1;
}

bool Certificate::verifies(std::string_view text, std::string_view signature) const {
  return deploy::verifies(X509_get0_pubkey(certificate_.get()), text, signature);
}

Status check_dates(const Certificate& certificate, std::string_view whose, std::time_t now) {
  if (now < certificate.begins()) {
    return refused(
        fmt::format("{} certificate is valid from {}, and here it is {}: check this "
                    "machine's clock",
                    whose, utc_text(certificate.begins()), utc_text(now)));
  }
  if (now > certificate.expires()) {
    return refused(
        fmt::format("{} certificate expired on {}, and it is {}: the server's operator "
                    "renews it with `fedvs init --admit` and sends the new roster",
                    whose, utc_text(certificate.expires()), utc_text(now)));
  }
  return {};
}

}  // namespace fedvs::deploy
