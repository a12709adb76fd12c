// What the server's operator sends to a client: the job, where the server is, and who is invited.
// A file of TOML: the complete job, then [invitation]. It holds no secret; whoever changes it on
// its way could name another authority, so the authority's fingerprint is worth a phone call.
#pragma once
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/deploy/address.h"
#include "fedvs/deploy/authority.h"
#include "fedvs/job/job.h"

namespace fedvs::deploy {

struct Invitation {
  Job job;
  Digest job_digest;
  std::string name;                  // of the client
  std::vector<std::string> clients;  // all that are invited, in the order of their numbers
  Address server;
  std::time_t expires = 0;
  std::string authority;       // certificate, PEM
  std::string signature = {};  // the authority's, over all but the job, whose digest stands for it
  int number() const;          // of the client, from 0
};

void sign(Invitation& invitation, const PrivateKey& authority);
std::string print_invitation(const Invitation& invitation);
// kRefused for one that was changed after it was signed or that contradicts itself; kBadJob for a
// job that this version does not understand. Not the expiry.
Result<Invitation> parse_invitation(std::string_view text, std::string_view where);
Status check_expiry(const Invitation& invitation, std::time_t now);

}  // namespace fedvs::deploy
