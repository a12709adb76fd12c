#include "fedvs/deploy/admission.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/folder_names.h"
#include "fedvs/deploy/hex.h"
#include "fedvs/deploy/server_folder.h"
#include "fedvs/deploy/utc_time.h"
#include "fedvs/job/print.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

Error refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

struct Member {
  Request request;
  Certificate certificate;
};
using Members = std::map<std::string, Member>;

fs::path request_file(const fs::path& folder, const std::string& name) {
  return folder / files::kAdmitted / (name + ".request");
}
fs::path certificate_file(const fs::path& folder, const std::string& name) {
  return folder / files::kAdmitted / (name + ".crt");
}

Result<Members> load_members(const fs::path& folder, const std::vector<std::string>& names) {
  Members members;
  for (const auto& name : names) {
    const auto file = request_file(folder, name), certificate_at = certificate_file(folder, name);
    std::error_code ignored;
    if (!fs::exists(file, ignored) || !fs::exists(certificate_at, ignored)) continue;
    FEDVS_TRY(const std::string text, read_document(file));
    FEDVS_TRY(auto request, parse_request(text, file.string()));
    FEDVS_TRY(const std::string pem, read_file(certificate_at));
    FEDVS_TRY(auto certificate, Certificate::from_pem(pem, certificate_at.string()));
    members.insert({name, {std::move(request), std::move(certificate)}});
  }
  return members;
}

// The request goes first and comes last: a pair is complete or it is none.
Status store(const fs::path& folder, const Member& member) {
  const std::string& name = member.request.name;
  std::error_code failure;
  fs::remove(request_file(folder, name), failure);
  if (failure) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("cannot replace {}: {}", request_file(folder, name).string(),
                             failure.message())};
  }
  FEDVS_TRY_STATUS(
      write_atomically(certificate_file(folder, name), member.certificate.pem(), Readers::kOwner));
  return write_atomically(request_file(folder, name), print_request(member.request),
                          Readers::kOwner);
}

struct Rules {
  const Deployment& deployment;
  const Authority& authority;
  const seal::PublicKey& signing_key;
  AdmissionRules options;
  std::time_t now;
};

Status check_meant_for_us(const Request& r, const Rules& rules) {
  if (std::ranges::find(rules.deployment.clients, r.name) == rules.deployment.clients.end()) {
    return refused(
        fmt::format("the request of \"{}\": nobody of that name is invited here; "
                    "invited are {}",
                    r.name, fmt::join(rules.deployment.clients, ", ")));
  }
  if (r.job_digest != job_digest(rules.deployment.job)) {
    return refused(
        fmt::format("the request of {} is for another job: it must be made from the "
                    "invitation that lies beside this folder",
                    r.name));
  }
  if (r.authority != rules.authority.certificate.fingerprint()) {
    return refused(
        fmt::format("the request of {} answers another authority's invitation: it must "
                    "be made from the one that lies beside this folder",
                    r.name));
  }
  return {};
}

Status check_against_earlier(const Request& r, const Members& members, const Rules& rules) {
  const auto earlier = members.find(r.name);
  if (earlier == members.end()) {
    if (rules.now <= rules.deployment.invitations_expire) return {};
    return refused(
        fmt::format("the request of {} comes too late: invitations expired on {}; make "
                    "a new deployment with fedvs init",
                    r.name, utc_text(rules.deployment.invitations_expire)));
  }
  const Digest before = earlier->second.request.fingerprint();
  if (before == r.fingerprint() || rules.options.replace) return {};
  return refused(
      fmt::format("{} was admitted with other keys:\n  before {}\n  now    {}\nAsk them "
                  "on the phone; if the new ones are theirs, add --replace, and let "
                  "every client accept the new roster",
                  r.name, grouped(before), grouped(r.fingerprint())));
}

Status check_distinct_keys(const Members& members) {
  std::map<std::string, std::string> owner;
  for (const auto& [name, member] : members) {
    for (auto key : {to_hex(member.request.sealing_key), member.request.tls.public_key()}) {
      const auto [place, first] = owner.try_emplace(std::move(key), name);
      if (first) continue;
      return refused(
          fmt::format("{} and {} have the same key: every client must make its own "
                      "(fedvs init --join)",
                      place->second, name));
    }
  }
  return {};
}

Member certified(const Request& request, const Rules& rules) {
  auto validity = Validity::days_from(rules.now, rules.options.days);
  validity.to = std::min(validity.to, rules.authority.certificate.expires());
  return {request, rules.authority.certify_client(request.tls, request.name, validity)};
}

Roster roster_of(const Members& members, const Rules& rules) {
  Roster roster{rules.deployment.trial,
                job_digest(rules.deployment.job),
                rules.deployment.server,
                rules.signing_key,
                rules.authority.certificate,
                {},
                {}};
  for (const auto& name : rules.deployment.clients) {
    const Member& member = members.at(name);
    roster.clients.push_back({name, member.request.sealing_key, member.certificate});
  }
  sign(roster, rules.authority.key);
  return roster;
}

// Every request, before anything is written.
Status check(std::span<const Request> requests, const Members& members, const Rules& rules) {
  std::set<std::string> names;
  for (const auto& request : requests) {
    FEDVS_TRY_STATUS(check_meant_for_us(request, rules));
    FEDVS_TRY_STATUS(check_against_earlier(request, members, rules));
    if (names.insert(request.name).second) continue;
    return refused(fmt::format("there are two requests of {}: name one", request.name));
  }
  return {};
}

Status write_roster(const fs::path& folder, const Roster& roster) {
  return write_atomically(folder / files::kRoster, print_roster(roster), Readers::kOwner);
}

}  // namespace

Result<Admission> admit(const fs::path& folder, std::span<const Request> requests,
                        const AdmissionRules& options, std::time_t now) {
  FEDVS_TRY(const Deployment deployment, load_deployment(folder));
  FEDVS_TRY(const Authority authority, load_authority(folder));
  FEDVS_TRY(const seal::SigningKey signing, load_signing_key(folder));
  FEDVS_TRY(Members members, load_members(folder, deployment.clients));
  const Rules rules{deployment, authority, signing.public_key, options, now};
  FEDVS_TRY_STATUS(check(requests, members, rules));
  Admission admission;
  for (const auto& request : requests) {
    Member member = certified(request, rules);
    const bool renewed = members.contains(request.name);
    admission.admitted.push_back(
        {request.name, request.fingerprint(), member.certificate.expires(), renewed});
    members.insert_or_assign(request.name, std::move(member));
  }
  FEDVS_TRY_STATUS(check_distinct_keys(members));
  for (const auto& request : requests) FEDVS_TRY_STATUS(store(folder, members.at(request.name)));
  std::ranges::copy_if(deployment.clients, std::back_inserter(admission.missing),
                       [&](const auto& name) { return !members.contains(name); });
  if (!admission.missing.empty()) return admission;
  admission.roster = roster_of(members, rules);
  FEDVS_TRY_STATUS(write_roster(folder, *admission.roster));
  return admission;
}

}  // namespace fedvs::deploy
