// What a client sends back: its public keys. Signed with its TLS key, so that nobody changes a part
// of it; that the whole is the client's is what fingerprints over the phone are for.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/deploy/private_key.h"
#include "fedvs/deploy/signing_request.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::deploy {

struct Request {
  std::string name;
  Digest job_digest;
  Digest authority;  // fingerprint of the certificate in the invitation
  seal::PublicKey sealing_key;
  SigningRequest tls;
  std::string signature = {};
  Digest fingerprint() const;  // client_fingerprint
};

void sign(Request& request, const PrivateKey& tls_key);
std::string print_request(const Request& request);
// kRefused for one that was changed after it was signed or that contradicts itself.
Result<Request> parse_request(std::string_view text, std::string_view where);

}  // namespace fedvs::deploy
