// Randomness of a networked party from the job's seed, for tests of whole runs alone: what a client
// keeps over its lives is what the simulator would draw, so that both train the same models. Lives
// and masks stay fresh: a restarted party must never repeat a mask.
#include "fedvs/base/log.h"
#include "fedvs/party/party_secrets.h"
#include "fedvs/sim/seeded_secrets.h"

namespace fedvs::party {

class SeededPartySecrets final : public SecretSource {
 public:
  explicit SeededPartySecrets(std::uint64_t seed) : kept_(seed) {}
  Prng stream(Purpose purpose, int party, std::uint64_t round) override {
    return same_in_every_life(purpose) ? kept_.stream(purpose, party, round) : Prng::from_os();
  }
  bool reproducible() const override { return false; }

 private:
  sim::SeededSecrets kept_;
};

std::unique_ptr<SecretSource> client_secrets(const seal::SecretKey&, const seal::SecretKey&,
                                             const Job& job) {
  log::warning("secrets come from sim.seed = {}: a test's program, nothing is hidden",
               job.sim.seed);
  return std::make_unique<SeededPartySecrets>(static_cast<std::uint64_t>(job.sim.seed));
}

std::unique_ptr<SecretSource> server_secrets(const Job&) {
  return std::make_unique<OsSecretSource>();
}

std::uint64_t draw_run_seed(const Job& job) { return static_cast<std::uint64_t>(job.sim.seed); }

}  // namespace fedvs::party
