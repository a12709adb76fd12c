// What clients compare over the phone.
#pragma once
#include <string_view>

#include "fedvs/base/digest.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::deploy {

// Of a client's public keys, both of them: the server passes them on, and one that passes on others
// could read what clients seal for each other. A client knows its own before it is certified, and
// renewing a certificate does not change it.
Digest client_fingerprint(const Digest& job, std::string_view name, std::string_view tls_key,
                          const seal::PublicKey& sealing_key);

}  // namespace fedvs::deploy
