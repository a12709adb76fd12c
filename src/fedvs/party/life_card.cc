#include "fedvs/party/life_card.h"

#include <fmt/format.h>

#include "fedvs/base/bytes.h"

namespace fedvs::party {
namespace {

// Every field has a fixed size; numbers() puts that size before it.
std::string signed_text(const Digest& job, int client, const protocol::Incarnation& life,
                        const seal::PublicKey& key) {
  ByteWriter out;
  out.raw("fedvs life 1");
  out.numbers(std::span<const std::uint8_t>(job));
  out.number(static_cast<std::int32_t>(client));
  out.numbers(std::span<const std::uint8_t>(life.bytes));
  out.numbers(std::span<const std::uint8_t>(key));
  return out.take();
}

}  // namespace

protocol::LifeCard make_card(const deploy::PrivateKey& signing, const Digest& job, int client,
                             const protocol::Incarnation& life, const seal::PublicKey& key) {
  return {.key = key, .signature = signing.sign(signed_text(job, client, life, key))};
}

Status check_card(const deploy::Roster& roster, int client, const protocol::Incarnation& life,
                  const protocol::LifeCard& card) {
  const auto& owner = roster.clients[static_cast<std::size_t>(client)];
  const std::string text = signed_text(roster.job_digest, client, life, card.key);
  if (owner.certificate.verifies(text, card.signature)) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the key for {}'s life was not signed by {}: it was changed on its way, "
                           "or is of another life",
                           owner.name, owner.name)};
}

}  // namespace fedvs::party
