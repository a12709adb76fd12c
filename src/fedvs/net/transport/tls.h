// What a party shows and whom it trusts, as PEM text.
#pragma once
#include <string>

#include "fedvs/base/result.h"

namespace fedvs::transport {

struct Tls {
  std::string ca_pem;           // peers' certificates must be signed by it
  std::string certificate_pem;  // this party's
  std::string key_pem;          // secret: wiped once the connection library has it
};

// kBadFile unless all three can be read and the key is the certificate's. gRPC would only log it.
Status check(const Tls& tls);

void wipe_key(Tls& tls);

}  // namespace fedvs::transport
