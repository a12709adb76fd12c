// OpenSSL's objects, freed when they go. Only .cc files of this folder include it.
#pragma once
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>

#include "fedvs/base/check.h"

namespace fedvs::deploy {

template <auto Function>
struct FreeBy {
  template <class T>
  void operator()(T* object) const {
    Function(object);
  }
};
using Bio = std::unique_ptr<BIO, FreeBy<BIO_free_all>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, FreeBy<EVP_PKEY_CTX_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeBy<EVP_MD_CTX_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, FreeBy<X509_EXTENSION_free>>;
using BigNumber = std::unique_ptr<BIGNUM, FreeBy<BN_free>>;

// What OpenSSL does on our own values fails only when memory runs out or the library is broken.
inline void must(int status, std::string_view what) { FEDVS_CHECK(status > 0, what); }
template <class T>
T* must(T* made, std::string_view what) {
  FEDVS_CHECK(made != nullptr, what);
  return made;
}

inline Bio reader_of(std::string_view text) {
  return Bio(must(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), "a memory BIO"));
}
inline std::string_view written_to(const Bio& bio) {
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}
// Asked for a password, OpenSSL would otherwise prompt on the terminal.
inline int no_password(char*, int, int, void*) { return -1; }

// ECDSA over P-256 with SHA-256: what every TLS library speaks; nothing else is accepted.
bool is_p256(const EVP_PKEY* key);
std::string public_der(EVP_PKEY* key);  // SubjectPublicKeyInfo
bool verifies(EVP_PKEY* key, std::string_view text, std::string_view signature);
std::string common_name_of(const X509_NAME* name);  // empty if there is none, or several

}  // namespace fedvs::deploy
