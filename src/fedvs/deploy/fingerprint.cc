#include "fedvs/deploy/fingerprint.h"

namespace fedvs::deploy {

Digest client_fingerprint(const Digest& job, std::string_view name, std::string_view tls_key,
                          const seal::PublicKey& sealing_key) {
  Hasher hasher;
  hasher.add("fedvs client v1").add(job);
  for (const std::string_view part : {name, tls_key}) hasher.add_u64(part.size()).add(part);
  return hasher.add(sealing_key).finish();
}

}  // namespace fedvs::deploy
