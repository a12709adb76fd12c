#include "fedvs/party/evidence.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fedvs/base/files.h"
#include "fedvs/deploy/hex.h"
#include "fedvs/net/seal/signing.h"

namespace fedvs::party {
namespace {

using nlohmann::json;
using protocol::SignedHead;

constexpr const char* kKind = "evidence of two chains of plans 1";
constexpr std::size_t kMostHeaders = 1 << 16;

json json_of(const SignedHead& head) {
  return {
      {"index", head.index}, {"link", to_hex(head.link)}, {"signature", to_hex(head.signature)}};
}

// Reads what print_evidence wrote; remembers the first key that is wrong.
struct Reader {
  std::string wrong;

  template <std::size_t Size>
  void bytes(const json& object, const char* key, std::array<std::uint8_t, Size>& to) {
    const auto hex = object.find(key);
    const auto text = hex != object.end() && hex->is_string()
                          ? deploy::from_hex(hex->get<std::string>())
                          : std::nullopt;
    if (!text || text->size() != Size) return refuse(key);
    std::copy(text->begin(), text->end(), to.begin());
  }
  void head(const json& object, const char* key, SignedHead& to) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_object()) return refuse(key);
    const auto index = found->find("index");
    if (index == found->end() || !index->is_number_unsigned()) return refuse("index");
    to.index = index->get<std::uint64_t>();
    bytes(*found, "link", to.link);
    bytes(*found, "signature", to.signature);
  }
  void text(const json& object, const char* key, std::string& to) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_string()) to = found->get<std::string>();
  }
  void headers(const json& object, std::vector<Digest>& to) {
    const auto found = object.find("headers");
    if (found == object.end() || !found->is_array() || found->size() > kMostHeaders) {
      return refuse("headers");
    }
    for (const auto& header : *found) bytes(json{{"header", header}}, "header", to.emplace_back());
  }
  void refuse(const char* key) {
    if (wrong.empty()) wrong = key;
  }
};

}  // namespace

Digest run_digest(const Digest& job, const seal::PublicKey& server_key, const wire::Terms& terms) {
  Hasher hasher;
  hasher.add("fedvs run 1").add(job).add(server_key).add(terms.run_id).add(terms.row_ids);
  hasher.add_u64(terms.total_rows).add_u64(terms.classes);
  for (const auto rows : terms.rows) hasher.add_u64(rows);
  hasher.add_u64(terms.features.size());
  for (const auto features : terms.features) hasher.add_u64(features);
  hasher.add_u64(terms.versions.size());
  for (const auto version : terms.versions) hasher.add_u64(version);
  return hasher.finish();
}

std::string print_evidence(const Evidence& evidence) {
  const auto& proof = evidence.proof;
  json headers = json::array();
  for (const auto& header : proof.contents) headers.push_back(to_hex(header));
  const json object{{"fedvs", kKind},
                    {"server", evidence.server},
                    {"server_key", to_hex(evidence.server_key)},
                    {"run", to_hex(proof.run)},
                    {"seen_by", evidence.seen_by},
                    {"heard_from", evidence.heard_from},
                    {"other", json_of(proof.other)},
                    {"own_link", to_hex(proof.own_link)},
                    {"headers", headers},
                    {"own", json_of(proof.own)}};
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Evidence> parse_evidence(std::string_view text, std::string_view where) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || object.value("fedvs", json()) != kKind) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} is no evidence-N.json that a client of FedVS wrote", where)};
  }
  Evidence read;
  Reader in;
  in.bytes(object, "server_key", read.server_key);
  in.bytes(object, "run", read.proof.run);
  in.head(object, "other", read.proof.other);
  in.bytes(object, "own_link", read.proof.own_link);
  in.headers(object, read.proof.contents);
  in.head(object, "own", read.proof.own);
  in.text(object, "server", read.server);
  in.text(object, "seen_by", read.seen_by);
  in.text(object, "heard_from", read.heard_from);
  if (in.wrong.empty()) return read;
  return Error{ErrorCode::kBadFile,
               fmt::format("{}: \"{}\" is missing or not what it should be", where, in.wrong)};
}

Status check(const Evidence& evidence) {
  return protocol::check(evidence.proof,
                         [&](std::string_view text, const protocol::Signature& signature) {
                           return seal::verify(evidence.server_key, text, signature);
                         });
}

Result<std::filesystem::path> keep_evidence(const std::filesystem::path& folder,
                                            const Evidence& evidence) {
  const auto path = folder / fmt::format("evidence-{}.json", evidence.proof.other.index);
  FEDVS_TRY_STATUS(write_atomically(path, print_evidence(evidence)));
  return path;
}

}  // namespace fedvs::party
