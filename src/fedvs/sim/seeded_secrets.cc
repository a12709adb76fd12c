#include "fedvs/sim/seeded_secrets.h"

#include "fedvs/base/digest.h"

namespace fedvs::sim {

Prng SeededSecrets::stream(Purpose purpose, int party, std::uint64_t round) {
  Hasher hasher;
  hasher.add("fedvs simulated secret").add_u64(seed_).add_u64(static_cast<std::uint64_t>(purpose));
  hasher.add_u64(static_cast<std::uint64_t>(party)).add_u64(round);
  return Prng(hasher.finish());
}

}  // namespace fedvs::sim
