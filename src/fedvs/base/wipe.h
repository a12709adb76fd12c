// Zeroes secrets in a way that the compiler may not remove.
#pragma once
#include <openssl/crypto.h>

#include <span>

namespace fedvs {

template <class T, std::size_t Extent>
void wipe(std::span<T, Extent> secret) {
  OPENSSL_cleanse(secret.data(), secret.size_bytes());
}

}  // namespace fedvs
