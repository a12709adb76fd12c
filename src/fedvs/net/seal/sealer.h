// Messages between two clients through a server that can neither read them nor change, swap, turn
// back or repeat them unnoticed (a repeated one opens: ReplayGuard tells).
//   key    = BLAKE2b-256("fedvs seal v2" || job || X(s,S) || X(e,E) || X(s,E) || X(e,S)
//                        || s* || e* || life || S* || E* || Life)
//   sealed = nonce (24 random bytes) || XChaCha20-Poly1305-IETF(key, nonce, text, binding)
// s, e: the static and the life's secret of the client with the lower static public key, S, E those
// of the other, starred their public keys, X: X25519. As in Noise KK and X3DH: whoever lacks both
// statics cannot make the key, and once the lives' secrets are gone nobody can make it again, not
// with both statics either. Lives' keys travel through the server and must be checked (LifeCard).
// The server sees who sends to whom, when, and how long the text is.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/base/secret_text.h"
#include "fedvs/net/seal/binding.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::seal {

inline constexpr std::size_t kOverheadBytes = 24 + 16;  // nonce and tag: sealed - text

struct OwnSide {
  const KeyPair& fixed;  // pinned in the roster
  const KeyPair& of_life;
  Life life;
};
struct PeerSide {
  PublicKey fixed, of_life;
  Life life;
};

// kRefused for a peer's key that makes the same secret with everybody (a point of low order), or
// that is one's own.
Status check_peer(const KeyPair& own, const PublicKey& peer);

class Sealer {
 public:
  // Of two lives. kRefused as above, for either key. Costs four X25519; keep it as long as both
  // live.
  static Result<Sealer> between(const Digest& job, const OwnSide& own, const PeerSide& peer);

  std::string seal(const Binding& binding, std::string_view text) const;
  // kRefused, with nothing of the text, unless it is what the peer sealed under this very binding.
  Result<SecretText> open(const Binding& binding, std::string_view sealed) const;

 private:
  explicit Sealer(SecretKey key) : key_(std::move(key)) {}
  SecretKey key_;  // the pair's: the same on both sides
};

}  // namespace fedvs::seal
