// A client's folder, made on the client's own machine:
//   bank-a/  invitation.toml  as it came; job.toml  the job in it, to be read
//            tls.key          for TLS and the request's signature
//            sealing.key      X25519, for what other clients seal for this one
//            data.key         keys the masks of the data shares, so that a share that must be sent
//                             again is the same bytes
//            NAME.request     to be sent to the server's operator
//            roster.toml      as it came back, once accepted
//            roster.confirmed its fingerprint, once somebody has compared it (confirmation.h)
#pragma once
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/deploy/invitation.h"
#include "fedvs/deploy/key_file.h"
#include "fedvs/deploy/roster.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::deploy {

// All that a running client needs.
struct ClientFolder {
  std::string name;
  int number;  // from 0
  Job job;
  Digest job_digest;
  Roster roster;
  std::string authority_pem, certificate_pem;
  SecretText tls_key_pem;
  seal::KeyPair sealing;
  seal::SecretKey data_key;
};
// kRefused for a roster, certificate or key that does not fit the others, is out of date or is open
// to other users; kBadFile, with what is to be done, for a folder without a roster.
Result<ClientFolder> load_client_folder(const std::filesystem::path& folder, std::time_t now);

struct Joined {
  std::filesystem::path request;  // to be sent to the server's operator
  Digest fingerprint;             // of the client's keys
  Digest authority;               // of the certificate in the invitation
};
// Makes `folder`, which must not exist, with keys of its own. kRefused for an invitation that has
// expired.
Result<Joined> join(const Invitation& invitation, const std::filesystem::path& folder,
                    std::time_t now);

struct Accepted {
  Roster roster;
  std::vector<std::string> changed;  // who has other keys than in the roster before
};
// Puts a roster into the folder. kRefused unless it is of the invitation's authority, job and
// clients and has this client's keys and a certificate that is valid now; and, without `replace`,
// one in which another client's keys differ from those accepted before.
Result<Accepted> accept_roster(const std::filesystem::path& folder, Roster roster, bool replace,
                               std::time_t now);

}  // namespace fedvs::deploy
