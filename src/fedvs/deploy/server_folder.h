// The server's folder, and the deployment that it is made with:
//   deploy/invitations/NAME.invite   to be sent to each client
//   deploy/server/  job.toml         complete
//                   deployment.toml  who is invited, until when, and where the server is
//                   authority.key, authority.crt     the private authority; not needed to run
//                   server.key, server.crt           for TLS
//                   signing.key      Ed25519: for the plans of the run
//                   admitted/        requests that were admitted, with their certificates
//                   roster.toml      once all are admitted; to be sent to every client
#pragma once
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/deploy/invitation.h"
#include "fedvs/deploy/key_file.h"
#include "fedvs/deploy/roster.h"
#include "fedvs/job/job.h"
#include "fedvs/net/seal/signing.h"

namespace fedvs::deploy {

// All that a running server needs; not the authority's key.
struct ServerFolder {
  Job job;
  Digest job_digest;
  Roster roster;
  std::string authority_pem, certificate_pem;
  SecretText key_pem;
  seal::SigningKey signing;
};
// kRefused for a roster, certificate or key that does not fit the others, is out of date or is open
// to other users; kBadFile, with what is to be done, for a folder without a roster.
Result<ServerFolder> load_server_folder(const std::filesystem::path& folder, std::time_t now);

struct Deployment {
  Job job;  // complete; data.clients is the number of clients
  std::vector<std::string> clients;
  Address server;
  std::time_t invitations_expire = 0;
  bool trial = false;
};
// Fills in data.clients. kBadJob for names that will not do, a number of clients that is not that
// of the job, a port of 0 or an address off loopback in a trial.
Result<Deployment> plan_deployment(Job job, std::vector<std::string> clients, Address server,
                                   bool trial, std::time_t invitations_expire);

// What lies in deploy/server before anybody is admitted, in an existing empty `folder`.
struct Founded {
  Authority authority;
  std::vector<Invitation> invitations;
};
Result<Founded> found_server(const Deployment& deployment, const std::filesystem::path& folder,
                             std::time_t now);

struct Deployed {
  Digest job_digest, authority;                    // the latter: the certificate's fingerprint
  std::vector<std::filesystem::path> invitations;  // in the order of clients
};
// Makes `folder` (deploy/), which must not exist, with both of its folders.
Result<Deployed> deploy(const Deployment& deployment, const std::filesystem::path& folder,
                        std::time_t now);

// For admissions: what found_server wrote.
Result<Deployment> load_deployment(const std::filesystem::path& folder);
Result<Authority> load_authority(const std::filesystem::path& folder);
Result<seal::SigningKey> load_signing_key(const std::filesystem::path& folder);

}  // namespace fedvs::deploy
