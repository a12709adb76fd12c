#include "fedvs/party/party_secrets.h"

#include "fedvs/base/digest.h"
#include "fedvs/base/wipe.h"

namespace fedvs::party {
namespace {

class FolderSecrets final : public SecretSource {
 public:
  FolderSecrets(const seal::SecretKey& run_key, const seal::SecretKey& mask_key)
      : run_key_(seal::SecretKey::copy_of(run_key.bytes())),
        mask_key_(seal::SecretKey::copy_of(mask_key.bytes())) {}

  Prng stream(Purpose purpose, int, std::uint64_t round) override {
    if (!same_in_every_life(purpose)) return Prng::from_os();
    Hasher hasher;
    const auto& kept = purpose == Purpose::kDataMask ? mask_key_ : run_key_;
    hasher.add("fedvs kept secret 1").add(kept.bytes());
    Key256 key = hasher.add_u64(static_cast<std::uint64_t>(purpose)).add_u64(round).finish();
    Prng stream(key);
    wipe(std::span(key));
    return stream;
  }
  bool reproducible() const override { return false; }

 private:
  seal::SecretKey run_key_, mask_key_;
};

}  // namespace

std::unique_ptr<SecretSource> client_secrets(const seal::SecretKey& run_key,
                                             const seal::SecretKey& mask_key, const Job&) {
  return std::make_unique<FolderSecrets>(run_key, mask_key);
}

std::unique_ptr<SecretSource> server_secrets(const Job&) {
  return std::make_unique<OsSecretSource>();
}

std::uint64_t draw_run_seed(const Job&) { return Prng::from_os().next_u64(); }

}  // namespace fedvs::party
