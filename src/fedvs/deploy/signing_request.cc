#include "fedvs/deploy/signing_request.h"

#include <fmt/format.h>
#include <openssl/pem.h>

#include "fedvs/deploy/openssl.h"

namespace fedvs::deploy {

SigningRequest SigningRequest::make(const PrivateKey& key, const std::string& name) {
  std::shared_ptr<X509_REQ> request(must(X509_REQ_new(), "a request"), X509_REQ_free);
  must(X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) == 1, "a request's version");
  must(X509_NAME_add_entry_by_txt(X509_REQ_get_subject_name(request.get()), "CN", MBSTRING_ASC,
                                  reinterpret_cast<const unsigned char*>(name.data()),
                                  static_cast<int>(name.size()), -1, 0),
       "a common name of 1 to 64 characters");
  must(X509_REQ_set_pubkey(request.get(), key.handle()), "a request's key");
  must(X509_REQ_sign(request.get(), key.handle(), EVP_sha256()), "ECDSA");
  return SigningRequest(std::move(request));
}

Result<SigningRequest> SigningRequest::from_pem(std::string_view pem, std::string_view where) {
  const auto refused = [&](std::string_view why) {
    return Error{ErrorCode::kRefused, fmt::format("{}: the signing request {}", where, why)};
  };
  std::shared_ptr<X509_REQ> read(
      PEM_read_bio_X509_REQ(reader_of(pem).get(), nullptr, no_password, nullptr), X509_REQ_free);
  if (read == nullptr) return refused("cannot be read (PEM)");
  EVP_PKEY* key = X509_REQ_get0_pubkey(read.get());
  if (!is_p256(key)) return refused("has no key on P-256");
  if (X509_REQ_verify(read.get(), key) != 1) return refused("was not signed by its own key");
  return SigningRequest(std::move(read));
}

std::string SigningRequest::pem() const {
  const Bio out(must(BIO_new(BIO_s_mem()), "a memory BIO"));
  must(PEM_write_bio_X509_REQ(out.get(), request_.get()), "a request has a PEM form");
  return std::string(written_to(out));
}

std::string SigningRequest::common_name() const {
  return common_name_of(X509_REQ_get_subject_name(request_.get()));
}

std::string SigningRequest::public_key() const {
  return public_der(X509_REQ_get0_pubkey(request_.get()));
}

bool SigningRequest::verifies(std::string_view text, std::string_view signature) const {
  return deploy::verifies(X509_REQ_get0_pubkey(request_.get()), text, signature);
}

}  // namespace fedvs::deploy
