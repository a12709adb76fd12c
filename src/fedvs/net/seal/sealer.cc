#include "fedvs/net/seal/sealer.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <span>

#include "fedvs/base/bytes.h"

namespace fedvs::seal {
namespace {

constexpr std::string_view kContext = "fedvs seal v2";
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kNonceBytes + kTagBytes == kOverheadBytes);
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == kKeyBytes);

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
std::uint8_t* bytes_of(std::string& text) { return reinterpret_cast<std::uint8_t*>(text.data()); }

template <std::size_t Size>
std::string_view text_of(const std::array<std::uint8_t, Size>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Every field has a fixed size, so no two bindings have the same bytes.
std::string associated_data(const Binding& b) {
  ByteWriter out;
  out.raw(kContext);
  out.raw(text_of(b.job));
  out.number(static_cast<std::int32_t>(b.from));
  out.number(static_cast<std::int32_t>(b.to));
  for (const Life& life : {b.from_life, b.to_life, b.server_life}) out.raw(text_of(life));
  out.number(b.kind);
  out.number(b.id);
  out.number(b.position);
  return out.take();
}

Error refused(const Binding& b, std::string_view why) {
  return {ErrorCode::kRefused,
          fmt::format("a sealed message from client {} to client {} (kind {}, id {}, position {}) "
                      "{}",
                      b.from + 1, b.to + 1, b.kind, b.id, b.position, why)};
}

Error same_key() {
  return {ErrorCode::kRefused,
          "a peer's sealing key is this client's own: every client makes its own key "
          "(fedvs init --join)"};
}

Error low_order(const PublicKey& key) {
  return {ErrorCode::kRefused,
          fmt::format("the sealing key {} has low order and keeps no secret: its owner must "
                      "make another (fedvs init --join)",
                      to_hex(key))};
}

class Derivation {
 public:
  Derivation() { crypto_generichash_init(&state_, nullptr, 0, kKeyBytes); }
  ~Derivation() { sodium_memzero(&state_, sizeof state_); }
  Derivation& add(std::span<const std::uint8_t> bytes) {
    crypto_generichash_update(&state_, bytes.data(), bytes.size());
    return *this;
  }
  void finish(std::uint8_t* key) { crypto_generichash_final(&state_, key, kKeyBytes); }

 private:
  crypto_generichash_state state_;
};

}  // namespace

Status check_peer(const KeyPair& own, const PublicKey& peer) {
  if (peer == own.public_key) return same_key();
  std::array<std::uint8_t, kKeyBytes> point;
  const int status = crypto_scalarmult(point.data(), own.secret_key.bytes().data(), peer.data());
  sodium_memzero(point.data(), point.size());
  return status == 0 ? Status{} : low_order(peer);
}

Result<Sealer> Sealer::between(const Digest& job, const OwnSide& own, const PeerSide& peer) {
  if (peer.fixed == own.fixed.public_key || peer.of_life == own.of_life.public_key) {
    return same_key();
  }
  const bool lower = own.fixed.public_key < peer.fixed;
  const KeyPair &third = lower ? own.fixed : own.of_life, &fourth = lower ? own.of_life : own.fixed;
  const struct {
    const KeyPair& own;
    const PublicKey& peer;
  } pairs[] = {{own.fixed, peer.fixed},
               {own.of_life, peer.of_life},
               {third, lower ? peer.of_life : peer.fixed},
               {fourth, lower ? peer.fixed : peer.of_life}};
  Derivation derivation;
  derivation.add({bytes_of(kContext), kContext.size()}).add(job);
  SecretKey point, key;
  for (const auto& pair : pairs) {
    if (crypto_scalarmult(point.data(), pair.own.secret_key.bytes().data(), pair.peer.data()) != 0)
      return low_order(pair.peer);
    derivation.add(point.bytes());
  }
  const auto add_own = [&] {
    derivation.add(own.fixed.public_key).add(own.of_life.public_key).add(own.life);
  };
  if (lower) add_own();
  derivation.add(peer.fixed).add(peer.of_life).add(peer.life);
  if (!lower) add_own();
  derivation.finish(key.data());
  return Sealer(std::move(key));
}

std::string Sealer::seal(const Binding& binding, std::string_view text) const {
  const std::string bound = associated_data(binding);
  std::string sealed(kOverheadBytes + text.size(), '\0');
  randombytes_buf(sealed.data(), kNonceBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      bytes_of(sealed) + kNonceBytes, nullptr, bytes_of(text), text.size(), bytes_of(bound),
      bound.size(), nullptr, bytes_of(sealed), key_.bytes().data());
  return sealed;
}

Result<SecretText> Sealer::open(const Binding& binding, std::string_view sealed) const {
  if (sealed.size() < kOverheadBytes) {
    return refused(binding, fmt::format("is cut off: {} bytes, and even an empty one has {}",
                                        sealed.size(), kOverheadBytes));
  }
  const std::string bound = associated_data(binding);
  std::string text(sealed.size() - kOverheadBytes, '\0');
  const int status = crypto_aead_xchacha20poly1305_ietf_decrypt(
      bytes_of(text), nullptr, nullptr, bytes_of(sealed) + kNonceBytes, sealed.size() - kNonceBytes,
      bytes_of(bound), bound.size(), bytes_of(sealed), key_.bytes().data());
  auto opened = SecretText::take(std::move(text));
  if (status != 0) {
    return refused(binding,
                   "does not open: it was changed on its way, sealed with another key, or sent as "
                   "something else");
  }
  return opened;
}

}  // namespace fedvs::seal
