// Secret randomness from a seed, for simulation and tests only: no networked party links this
// library. Counter-based: every (purpose, party, round) has a stream of its own, so no rejection or
// reordering shifts another.
#pragma once
#include <cstdint>

#include "fedvs/base/prng.h"

namespace fedvs::sim {

class SeededSecrets final : public SecretSource {
 public:
  explicit SeededSecrets(std::uint64_t seed) : seed_(seed) {}
  Prng stream(Purpose purpose, int party, std::uint64_t round) override;
  bool reproducible() const override { return true; }

 private:
  std::uint64_t seed_;
};

}  // namespace fedvs::sim
