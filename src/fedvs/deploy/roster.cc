#include "fedvs/deploy/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fedvs/deploy/document.h"
#include "fedvs/deploy/fingerprint.h"
#include "fedvs/deploy/hex.h"
#include "fedvs/deploy/party_name.h"

namespace fedvs::deploy {
namespace {

std::string body(const Roster& r) {
  DocumentWriter out("The roster of a FedVS job: fedvs init --accept FILE", "roster");
  out.flag("trial", r.trial);
  out.digest("job_digest", r.job_digest);
  out.text("server_address", r.server.text());
  out.digest("signing_key", r.signing_key);
  out.text("authority", r.authority.pem());
  for (const auto& client : r.clients) {
    out.next("client");
    out.text("name", client.name);
    out.text("fingerprint", grouped(client.fingerprint(r.job_digest)));
    out.digest("sealing_key", client.sealing_key);
    out.text("certificate", client.certificate.pem());
  }
  return out.written();
}

Result<RosterClient> read_client(const Document& in, const Roster& roster) {
  FEDVS_TRY(std::string name, in.text("name"));
  FEDVS_TRY(const Digest sealing_key, in.digest("sealing_key"));
  FEDVS_TRY(const std::string pem, in.text("certificate"));
  FEDVS_TRY(auto certificate, Certificate::from_pem(pem, in.where()));
  if (certificate.common_name() != name) return in.bad("certificate", "is in another name");
  if (!certificate.issued_by(roster.authority)) {
    return in.bad("certificate", "was not issued by the roster's authority");
  }
  RosterClient client{std::move(name), sealing_key, std::move(certificate)};
  FEDVS_TRY(const std::string shown, in.text("fingerprint"));
  if (shown != grouped(client.fingerprint(roster.job_digest))) {
    return in.bad("fingerprint", "is not that of the keys beside it");
  }
  return client;
}

Result<Roster> read_head(const Document& in) {
  FEDVS_TRY(const bool trial, in.flag("trial"));
  FEDVS_TRY(const Digest job, in.digest("job_digest"));
  FEDVS_TRY(const std::string address, in.text("server_address"));
  FEDVS_TRY(const Address server, parse_address(address));
  if (!in.text("signing_key")) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("{}: the roster has no key that the server signs plans with, so it was "
                    "made by an older version of FedVS: the server's operator must make "
                    "the deployment anew (fedvs init), and every client join it again",
                    in.where())};
  }
  FEDVS_TRY(const Digest signing_key, in.digest("signing_key"));
  FEDVS_TRY(const std::string pem, in.text("authority"));
  FEDVS_TRY(auto authority, Certificate::from_pem(pem, in.where()));
  FEDVS_TRY(std::string signature, in.signature());
  return Roster{.trial = trial,
                .job_digest = job,
                .server = server,
                .signing_key = signing_key,
                .authority = std::move(authority),
                .clients = {},
                .signature = std::move(signature)};
}

Status check_distinct(const Roster& roster, std::string_view where) {
  const auto names = roster.client_names();
  std::set<std::string> keys;
  for (const auto& client : roster.clients) {
    keys.insert(to_hex(client.sealing_key));
    keys.insert(client.certificate.public_key());
  }
  FEDVS_TRY_STATUS(check_names(names));
  if (keys.size() == 2 * names.size()) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format("{}: two clients have the same key, and every client must make its own", where)};
}

}  // namespace

std::vector<std::string> Roster::client_names() const {
  std::vector<std::string> names;
  for (const auto& client : clients) names.push_back(client.name);
  return names;
}

Digest RosterClient::fingerprint(const Digest& job) const {
  return client_fingerprint(job, name, certificate.public_key(), sealing_key);
}

Digest fingerprint(const Roster& roster) { return Hasher().add(body(roster)).finish(); }

void sign(Roster& roster, const PrivateKey& authority) {
  roster.signature = authority.sign(body(roster));
}

std::string print_roster(const Roster& roster) {
  return body(roster) + signature_block(roster.signature);
}

Result<Roster> parse_roster(std::string_view text, std::string_view where) {
  FEDVS_TRY(const auto in, Document::parse(text, where, "roster"));
  FEDVS_TRY(Roster roster, read_head(in));
  for (const auto& entry : in.array("client")) {
    FEDVS_TRY(auto client, read_client(entry, roster));
    roster.clients.push_back(std::move(client));
  }
  FEDVS_TRY_STATUS(check_distinct(roster, where));
  if (roster.authority.verifies(body(roster), roster.signature)) return roster;
  return Error{ErrorCode::kRefused,
               fmt::format("{}: it was changed after the authority signed it; ask the server's "
                           "operator for the roster again",
                           where)};
}

int number_of(const Roster& roster, std::string_view name) {
  const auto at = std::ranges::find(roster.clients, name, &RosterClient::name);
  return at == roster.clients.end() ? -1 : static_cast<int>(at - roster.clients.begin());
}

const RosterClient* find_client(const Roster& roster, std::string_view name) {
  const int number = number_of(roster, name);
  return number < 0 ? nullptr : &roster.clients[static_cast<std::size_t>(number)];
}

Result<int> identify(const Roster& roster, std::string_view certificate_pem, std::time_t now) {
  FEDVS_TRY(const auto shown, Certificate::from_pem(certificate_pem, "the peer's certificate"));
  const Digest print = shown.fingerprint();
  const auto at = std::ranges::find(roster.clients, print, [](const RosterClient& client) {
    return client.certificate.fingerprint();
  });
  if (at == roster.clients.end()) {
    return Error{ErrorCode::kRefused,
                 fmt::format("the peer's certificate, in the name {:?} with SHA-256 {}, is not in "
                             "the roster: is its roster an older one?",
                             shown.common_name(), to_hex(print))};
  }
  FEDVS_TRY_STATUS(check_dates(at->certificate, at->name + "'s", now));
  return static_cast<int>(at - roster.clients.begin());
}

Status check_trial(const Roster& roster, const Address& address) {
  if (!roster.trial || address.is_loopback()) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the roster is a trial's, whose keys were all made in one place, and {} "
                           "can be reached from other machines: use 127.0.0.1, or let every client "
                           "make its own keys (fedvs init JOB --client NAME ...)",
                           address.text())};
}

}  // namespace fedvs::deploy
