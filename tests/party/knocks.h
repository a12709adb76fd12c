// Connections of people without a certificate: plain TCP and TLS with OpenSSL, none of our own
// code.
#pragma once
#include <cstddef>
#include <string>

namespace fedvs::party::testing {

// One after the other; how many were let in, which is to say that the server answered anything but
// the end of the connection after a handshake without a certificate.
std::size_t knock_without_certificate(int port, std::size_t times);

// Many at a time, open while the object lives: each says `words` and then nothing more.
class Loiterers {
 public:
  Loiterers(int port, std::size_t count, const std::string& words);
  Loiterers(const Loiterers&) = delete;
  Loiterers& operator=(const Loiterers&) = delete;
  ~Loiterers();

 private:
  std::size_t count_ = 0;
  int sockets_[512];
};

}  // namespace fedvs::party::testing
