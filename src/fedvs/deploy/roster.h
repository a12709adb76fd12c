// Who takes part: names, certificates and sealing keys of all clients, signed by the authority. One
// file for everybody.
//   fedvs = "roster 1"   trial, job_digest, server_address, signing_key, authority
//   [[client]]           name, fingerprint, sealing_key, certificate; in the order of numbers
//   [signature]
// The authority belongs to the server, whom clients do not trust with their keys: clients compare
// the roster's fingerprint with each other, and every client checks that its own keys are in it.
#pragma once
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/deploy/address.h"
#include "fedvs/deploy/certificate.h"
#include "fedvs/deploy/private_key.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::deploy {

struct RosterClient {
  std::string name;
  seal::PublicKey sealing_key;
  Certificate certificate;
  Digest fingerprint(const Digest& job) const;  // client_fingerprint
};

struct Roster {
  bool trial = false;  // all keys were made in one place: good for one machine only
  Digest job_digest{};
  Address server;
  seal::PublicKey signing_key;  // Ed25519: the server signs its plans
  Certificate authority;
  std::vector<RosterClient> clients;  // client number n, from 0, is clients[n]
  std::string signature;
  std::vector<std::string> client_names() const;  // by client number
};

// Everything but the signature, in the form that is signed; fingerprint is its SHA-256, the same
// whoever signs it how often.
Digest fingerprint(const Roster& roster);
void sign(Roster& roster, const PrivateKey& authority);
std::string print_roster(const Roster& roster);
// kRefused unless the authority named in it has signed it and all its certificates, names are fit
// and no key occurs twice. Whether it is the right authority is for the caller to say.
Result<Roster> parse_roster(std::string_view text, std::string_view where);

const RosterClient* find_client(const Roster& roster, std::string_view name);  // or nullptr
// The number, from 0, of the client with that name; -1 if there is none.
int number_of(const Roster& roster, std::string_view name);
// Whose certificate this is: the client's number, or kRefused with the reason (not one of the
// roster, or expired). For the server, of the certificate that a TLS peer has shown.
Result<int> identify(const Roster& roster, std::string_view certificate_pem, std::time_t now);
// kRefused for a trial's roster unless the address is loopback.
Status check_trial(const Roster& roster, const Address& address);

}  // namespace fedvs::deploy
