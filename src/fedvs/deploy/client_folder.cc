#include "fedvs/deploy/client_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/deploy/confirmation.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/folder_names.h"
#include "fedvs/deploy/new_folder.h"
#include "fedvs/deploy/request.h"
#include "fedvs/job/print.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

constexpr auto kOwner = Readers::kOwner;

Error refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

Result<Invitation> load_invitation(const fs::path& folder) {
  const fs::path file = folder / files::kInvitation;
  auto text = read_document(file);
  if (!text) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} is not a client's folder: {}; name the one that `fedvs init "
                             "--join` made, with --dir",
                             folder.string(), text.error().message)};
  }
  return parse_invitation(*text, file.string());
}

struct Keys {
  PrivateKey tls;
  seal::KeyPair sealing;
};

Result<Keys> load_keys(const fs::path& folder) {
  const fs::path file = folder / files::kTlsKey;
  FEDVS_TRY(const SecretText pem, read_key_file(file));
  FEDVS_TRY(auto tls, PrivateKey::from_pem(pem.view(), file.string()));
  FEDVS_TRY(auto sealing, read_secret_key(folder / files::kSealingKey));
  return Keys{std::move(tls), seal::KeyPair::of(std::move(sealing))};
}

Status write_keys(const Keys& keys, const fs::path& folder) {
  FEDVS_TRY_STATUS(write_key_file(folder / files::kTlsKey, keys.tls.pem().view()));
  FEDVS_TRY_STATUS(write_secret_key(folder / files::kSealingKey, keys.sealing.secret_key));
  return write_secret_key(folder / files::kDataKey, seal::SecretKey::generate());
}

Status check_own_keys(const Roster& roster, const std::string& name, const Keys& keys) {
  const RosterClient* own = find_client(roster, name);
  FEDVS_CHECK(own != nullptr, "the roster lists the invitation's clients");
  if (own->sealing_key == keys.sealing.public_key &&
      own->certificate.public_key() == keys.tls.public_key()) {
    return {};
  }
  return refused(
      fmt::format("the roster has other keys for {} than this folder: somebody else's "
                  "request was admitted in its name, or an older one; tell the server's "
                  "operator, and the other clients",
                  name));
}

Status check_roster(const Roster& roster, const Invitation& invitation, const Keys& keys,
                    std::time_t now) {
  FEDVS_TRY(const auto authority, Certificate::from_pem(invitation.authority, "the invitation"));
  if (roster.authority.fingerprint() != authority.fingerprint()) {
    return refused(
        "the roster is signed by another authority than the one of this folder's "
        "invitation: ask the server's operator for the right one");
  }
  if (roster.job_digest != invitation.job_digest) {
    return refused(fmt::format("the roster is for job {}, and this folder's invitation for job {}",
                               to_hex(roster.job_digest), to_hex(invitation.job_digest)));
  }
  if (!std::ranges::equal(roster.clients, invitation.clients, {}, &RosterClient::name)) {
    return refused(fmt::format("the roster lists other clients than the invitation, which has {}",
                               fmt::join(invitation.clients, ", ")));
  }
  FEDVS_TRY_STATUS(check_own_keys(roster, invitation.name, keys));
  return check_dates(find_client(roster, invitation.name)->certificate, invitation.name + "'s",
                     now);
}

bool has_roster(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / files::kRoster, ignored);
}

Result<Roster> load_roster(const fs::path& folder) {
  FEDVS_TRY(const std::string text, read_document(folder / files::kRoster));
  return parse_roster(text, (folder / files::kRoster).string());
}

std::vector<std::string> changed_keys(const Roster& before, const Roster& after) {
  std::vector<std::string> changed;
  if (before.signing_key != after.signing_key) changed.push_back("the server");
  for (const auto& client : after.clients) {
    const auto* known = find_client(before, client.name);
    const bool same = known != nullptr &&
                      known->fingerprint(before.job_digest) == client.fingerprint(after.job_digest);
    if (!same) changed.push_back(client.name);
  }
  return changed;
}

}  // namespace

Result<Joined> join(const Invitation& invitation, const fs::path& folder, std::time_t now) {
  FEDVS_TRY_STATUS(check_expiry(invitation, now));
  FEDVS_TRY(const auto authority, Certificate::from_pem(invitation.authority, "the invitation"));
  FEDVS_TRY(auto made, NewFolder::begin(folder));
  const Keys keys{PrivateKey::generate(), seal::KeyPair::generate()};
  FEDVS_TRY_STATUS(write_keys(keys, made.path()));
  Request request{invitation.name, invitation.job_digest, authority.fingerprint(),
                  keys.sealing.public_key, SigningRequest::make(keys.tls, invitation.name)};
  sign(request, keys.tls);
  const std::string file = invitation.name + ".request";
  FEDVS_TRY_STATUS(
      write_atomically(made.path() / files::kInvitation, print_invitation(invitation), kOwner));
  FEDVS_TRY_STATUS(write_atomically(made.path() / files::kJob, print_job(invitation.job), kOwner));
  FEDVS_TRY_STATUS(write_atomically(made.path() / file, print_request(request), kOwner));
  FEDVS_TRY_STATUS(made.commit());
  return Joined{folder / file, request.fingerprint(), authority.fingerprint()};
}

Result<Accepted> accept_roster(const fs::path& folder, Roster roster, bool replace,
                               std::time_t now) {
  FEDVS_TRY(const Invitation invitation, load_invitation(folder));
  FEDVS_TRY(const Keys keys, load_keys(folder));
  FEDVS_TRY_STATUS(check_roster(roster, invitation, keys, now));
  std::vector<std::string> changed;
  std::optional<Roster> before;
  if (has_roster(folder)) {
    FEDVS_TRY(before, load_roster(folder));
    changed = changed_keys(*before, roster);
  }
  if (!changed.empty() && !replace) {
    return refused(
        fmt::format("the roster has other keys than the one accepted before for {}: ask "
                    "them on the phone whether they made new ones, then add --replace",
                    fmt::join(changed, ", ")));
  }
  FEDVS_TRY_STATUS(write_atomically(folder / files::kRoster, print_roster(roster), kOwner));
  if (before) FEDVS_TRY_STATUS(carry_confirmation(folder, *before, roster));
  return Accepted{std::move(roster), std::move(changed)};
}

Result<ClientFolder> load_client_folder(const fs::path& folder, std::time_t now) {
  FEDVS_TRY(Invitation invitation, load_invitation(folder));
  FEDVS_TRY(Keys keys, load_keys(folder));
  FEDVS_TRY(auto data_key, read_secret_key(folder / files::kDataKey));
  if (!has_roster(folder)) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} has no roster yet: send its {}.request to the server's operator, "
                             "then run `fedvs init --accept roster.toml --dir {}`",
                             folder.string(), invitation.name, folder.string())};
  }
  FEDVS_TRY(Roster roster, load_roster(folder));
  FEDVS_TRY_STATUS(check_roster(roster, invitation, keys, now));
  const int number = invitation.number();
  std::string certificate = roster.clients[static_cast<std::size_t>(number)].certificate.pem();
  return ClientFolder{.name = invitation.name,
                      .number = number,
                      .job = std::move(invitation.job),
                      .job_digest = invitation.job_digest,
                      .roster = std::move(roster),
                      .authority_pem = invitation.authority,
                      .certificate_pem = std::move(certificate),
                      .tls_key_pem = keys.tls.pem(),
                      .sealing = std::move(keys.sealing),
                      .data_key = std::move(data_key)};
}

}  // namespace fedvs::deploy
