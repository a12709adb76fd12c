// The deployment's private certificate authority. Its key lies in the server's folder, signs
// certificates, invitations and rosters, and is not needed while the server runs.
#pragma once
#include <ctime>
#include <string>

#include "fedvs/deploy/address.h"
#include "fedvs/deploy/certificate.h"
#include "fedvs/deploy/private_key.h"
#include "fedvs/deploy/signing_request.h"

namespace fedvs::deploy {

struct Validity {
  std::time_t from, to;
  // From an hour ago, since clocks differ.
  static Validity days_from(std::time_t now, int days);
};

struct Authority {
  Certificate certificate;
  PrivateKey key;
  static Authority make(const std::string& name, Validity validity);  // CN: 1 to 64 characters

  // For TLS servers only, at this host; `address` loopback: under all names of this machine.
  Certificate certify_server(const PrivateKey& server, const Address& address,
                             Validity validity) const;
  // For TLS clients only; the name is ours to give, whatever the request says.
  Certificate certify_client(const SigningRequest& request, const std::string& name,
                             Validity validity) const;
};

}  // namespace fedvs::deploy
