// Messages between two clients through a server that can neither read them nor change, swap, turn
// back or repeat them unnoticed (a repeated one opens: ReplayGuard tells).
//   key    = BLAKE2b-256("fedvs seal v1" || X25519(secret, peer) || lower || higher public key)
//   sealed = nonce (24 random bytes) || XChaCha20-Poly1305-IETF(key, nonce, text, binding)
// The server sees who sends to whom, when, and how long the text is.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/seal/binding.h"
#include "fedvs/seal/keys.h"

namespace fedvs::seal {

inline constexpr std::size_t kOverheadBytes = 24 + 16;  // nonce and tag: sealed - text

class Sealer {
 public:
  // kRefused for a peer's key that makes the same secret with everybody (a point of low order), or
  // that is one's own. Costs one X25519; keep the sealer of every peer.
  static Result<Sealer> between(const KeyPair& own, const PublicKey& peer);

  std::string seal(const Binding& binding, std::string_view text) const;
  // kRefused, with nothing of the text, unless it is what the peer sealed under this very binding.
  Result<std::string> open(const Binding& binding, std::string_view sealed) const;

 private:
  explicit Sealer(SecretKey key) : key_(std::move(key)) {}
  SecretKey key_;  // the pair's: the same on both sides
};

}  // namespace fedvs::seal
