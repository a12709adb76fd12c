// Proof that a server signed two chains of plans, as a file that anybody can check:
//   evidence-7.json   the server's key, the run, both heads with their signatures
#pragma once
#include <filesystem>
#include <string>

#include "fedvs/deploy/roster.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/protocol/heads.h"

namespace fedvs::party {

// What names a run and no other: the same at all parties of it, and in all that the server signs.
// Not the roster's fingerprint: a certificate may be renewed while a run goes on.
Digest run_digest(const Digest& job, const seal::PublicKey& server_key, const wire::Terms& terms);

struct Evidence {
  protocol::Equivocation proof;
  seal::PublicKey server_key{};
  std::string server, seen_by, heard_from;  // for people
};
std::string print_evidence(const Evidence& evidence);
Result<Evidence> parse_evidence(std::string_view text, std::string_view where);  // kBadFile
// kRefused, with what is wrong, unless both heads are signed with the key that it names.
Status check(const Evidence& evidence);
// evidence-<index>.json in the folder; kBadFile.
Result<std::filesystem::path> keep_evidence(const std::filesystem::path& folder,
                                            const Evidence& evidence);

}  // namespace fedvs::party
