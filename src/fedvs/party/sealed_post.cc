#include "fedvs/party/sealed_post.h"

#include <fmt/format.h>

#include <utility>

#include "fedvs/base/log.h"
#include "fedvs/base/secret_text.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/life_card.h"

namespace fedvs::party {

Result<SealedPost> SealedPost::between(const deploy::ClientFolder& self) {
  for (std::size_t n = 0; n < self.roster.clients.size(); ++n) {
    if (static_cast<int>(n) == self.number) continue;
    FEDVS_TRY_STATUS(seal::check_peer(self.sealing, self.roster.clients[n].sealing_key));
  }
  FEDVS_TRY(auto signing,
            deploy::PrivateKey::from_pem(self.tls_key_pem.view(), self.name + "'s tls.key"));
  return SealedPost(self, std::move(signing));
}

SealedPost::SealedPost(const deploy::ClientFolder& self, deploy::PrivateKey signing)
    : number_(self.number),
      roster_(self.roster),
      fixed_(seal::KeyPair::of(seal::SecretKey::copy_of(self.sealing.secret_key.bytes()))),
      signing_(std::move(signing)),
      peers_(roster_.clients.size()),
      next_id_(roster_.clients.size(), 1) {}

protocol::LifeCard SealedPost::begin_life(const protocol::Incarnation& life) {
  for (auto& peer : peers_) peer = {};
  welcome_ = {};
  life_ = life;
  of_life_.emplace(seal::KeyPair::generate());
  return make_card(signing_, roster_.job_digest, number_, life, of_life_->public_key);
}

void SealedPost::meet(const protocol::Welcome& welcome) {
  welcome_ = welcome;
  welcome_.cards.resize(peers_.size());
  for (std::size_t n = 0; n < peers_.size(); ++n) {
    auto& peer = peers_[n];
    const auto& life = welcome_.clients[n];
    const auto& card = welcome_.cards[n];
    if (static_cast<int>(n) == number_ || (peer.life == life && peer.card == card)) continue;
    peer = {.life = life, .card = card, .sealer = {}};
    if (life == protocol::Incarnation{} || !of_life_) continue;  // it has not come yet
    auto sealer = agree_with(static_cast<int>(n), life, card);
    if (sealer) {
      peer.sealer.emplace(std::move(*sealer));
    } else {
      log::warning("{}", sealer.error().message);
    }
  }
}

Result<seal::Sealer> SealedPost::agree_with(int client, const protocol::Incarnation& life,
                                            const protocol::LifeCard& card) const {
  FEDVS_TRY_STATUS(check_card(roster_, client, life, card));
  const auto& fixed = roster_.clients[static_cast<std::size_t>(client)].sealing_key;
  return seal::Sealer::between(roster_.job_digest, {fixed_, *of_life_, life_.bytes},
                               {fixed, card.key, life.bytes});
}

seal::Binding SealedPost::binding(int from, int to, std::uint32_t kind, std::uint64_t id) const {
  return {.job = roster_.job_digest,
          .from = from,
          .to = to,
          .from_life = welcome_.clients[static_cast<std::size_t>(from)].bytes,
          .to_life = welcome_.clients[static_cast<std::size_t>(to)].bytes,
          .server_life = welcome_.server.bytes,
          .kind = kind,
          .id = id,
          .position = 0};
}

Result<std::string> SealedPost::seal(int to, const protocol::Message& message) {
  const auto recipient = static_cast<std::size_t>(to);
  if (!peers_[recipient].sealer) {
    return Error{ErrorCode::kRefused,
                 fmt::format("nothing is sealed for {}: there is no key of its life",
                             roster_.clients[recipient].name)};
  }
  const std::uint32_t kind = wire::kind_of(message);
  const std::uint64_t id = next_id_[recipient]++;
  const auto text = SecretText::take(wire::encode(message));
  wire::Sealed sealed{
      .from = number_,
      .to = to,
      .kind = kind,
      .id = id,
      .position = 0,
      .sealed = peers_[recipient].sealer->seal(binding(number_, to, kind, id), text.view())};
  return wire::encode(wire::Envelope(std::move(sealed)));
}

Result<protocol::MessagePtr> SealedPost::open(const protocol::Agreement& agreement,
                                              const wire::Sealed& sealed) {
  const auto from = static_cast<std::size_t>(sealed.from);
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::kRefused,
                 fmt::format("a sealed {} of {}: {}", wire::kind_name(sealed.kind),
                             agreement.name(sealed.from), why)};
  };
  if (sealed.to != number_ || from >= peers_.size() || sealed.from == number_) {
    return refused("not for this client");
  }
  if (welcome_.clients.empty()) return refused("before the welcome");
  if (!peers_[from].sealer) return refused("there is no key of its life that it has signed");
  const auto bound = binding(sealed.from, number_, sealed.kind, sealed.id);
  const auto text = peers_[from].sealer->open(bound, sealed.sealed);
  if (!text) return refused(text.error().message);
  if (const auto fresh = seen_.admit(bound); !fresh) return refused(fresh.error().message);
  auto message = wire::decode(agreement, text->view());
  if (!message) return refused(message.error().message);
  if (wire::kind_of(**message) != sealed.kind || protocol::sender_of(**message) != sealed.from) {
    return refused("its inside says something else than its outside");
  }
  return message;
}

}  // namespace fedvs::party
