#include "fedvs/party/sealed_post.h"

#include <fmt/format.h>

#include <utility>

#include "fedvs/base/wipe.h"
#include "fedvs/wire/codec.h"

namespace fedvs::party {
namespace {

// Whoever a message says it is from: shares carry it, masks name their dealer.
struct SaidSender {
  int operator()(const protocol::MaskShare& share) const { return share.id.dealer; }
  int operator()(const protocol::Welcome&) const { return protocol::kServer; }
  int operator()(const protocol::Step&) const { return protocol::kServer; }
  int operator()(const protocol::ReportRequest&) const { return protocol::kServer; }
  int operator()(const protocol::Regather&) const { return protocol::kServer; }
  int operator()(const protocol::Farewell&) const { return protocol::kServer; }
  template <class FromClient>
  int operator()(const FromClient& message) const {
    return message.from;
  }
};

void wipe_text(std::string& text) { wipe(std::span(text.data(), text.size())); }

}  // namespace

int said_sender(const protocol::Message& message) { return std::visit(SaidSender{}, message); }

Result<SealedPost> SealedPost::between(const identity::ClientFolder& self) {
  SealedPost post(self.number, self.job_digest);
  for (std::size_t n = 0; n < self.roster.clients.size(); ++n) {
    post.sealers_.emplace_back();
    if (static_cast<int>(n) == self.number) continue;
    FEDVS_TRY(auto sealer, seal::Sealer::between(self.sealing, self.roster.clients[n].sealing_key));
    post.sealers_.back().emplace(std::move(sealer));
  }
  post.next_id_.assign(post.sealers_.size(), 1);
  return post;
}

void SealedPost::meet(const protocol::Welcome& welcome) { welcome_ = welcome; }

seal::Binding SealedPost::binding(int from, int to, std::uint32_t kind, std::uint64_t id) const {
  return {.job = job_,
          .from = from,
          .to = to,
          .from_life = welcome_.clients[static_cast<std::size_t>(from)].bytes,
          .to_life = welcome_.clients[static_cast<std::size_t>(to)].bytes,
          .server_life = welcome_.server.bytes,
          .kind = kind,
          .id = id,
          .position = 0};
}

std::string SealedPost::seal(int to, const protocol::Message& message) {
  FEDVS_CHECK(!welcome_.clients.empty(), "nobody is written to before the welcome");
  const std::uint32_t kind = wire::kind_of(message);
  const std::uint64_t id = next_id_[static_cast<std::size_t>(to)]++;
  std::string text = wire::encode(message);
  const auto& sealer = *sealers_[static_cast<std::size_t>(to)];
  wire::Sealed sealed{.from = number_,
                      .to = to,
                      .kind = kind,
                      .id = id,
                      .position = 0,
                      .sealed = sealer.seal(binding(number_, to, kind, id), text)};
  wipe_text(text);
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
  if (sealed.to != number_ || from >= sealers_.size() || !sealers_[from]) {
    return refused("not for this client");
  }
  if (welcome_.clients.empty()) return refused("before the welcome");
  const auto bound = binding(sealed.from, number_, sealed.kind, sealed.id);
  auto text = sealers_[from]->open(bound, sealed.sealed);
  if (!text) return refused(text.error().message);
  if (const auto fresh = seen_.admit(bound); !fresh) return refused(fresh.error().message);
  auto message = wire::decode(agreement, *text);
  wipe_text(*text);
  if (!message) return refused(message.error().message);
  if (wire::kind_of(**message) != sealed.kind || said_sender(**message) != sealed.from) {
    return refused("its inside says something else than its outside");
  }
  return message;
}

}  // namespace fedvs::party
