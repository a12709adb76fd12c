#include "fedvs/deploy/server_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/folder_names.h"
#include "fedvs/job/print.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

Error refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

Result<Certificate> load_certificate(const fs::path& file) {
  FEDVS_TRY(const std::string pem, read_file(file));
  return Certificate::from_pem(pem, file.string());
}

Result<PrivateKey> load_key_of(const Certificate& certificate, const fs::path& file) {
  FEDVS_TRY(const SecretText pem, read_key_file(file));
  FEDVS_TRY(auto key, PrivateKey::from_pem(pem.view(), file.string()));
  if (key.public_key() == certificate.public_key()) return key;
  return refused(
      fmt::format("{} is not the key of the certificate beside it: take both from the "
                  "same backup",
                  file.string()));
}

Result<Roster> load_roster(const fs::path& folder) {
  const fs::path file = folder / files::kRoster;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} has no roster yet: admit every client's request with `fedvs init "
                             "--admit REQUEST... --dir {}`",
                             folder.string(), folder.string())};
  }
  FEDVS_TRY(const std::string text, read_document(file));
  return parse_roster(text, file.string());
}

Status check_roster(const Roster& roster, const Deployment& d, const Certificate& authority) {
  const auto no = [](std::string_view why) {
    return refused(fmt::format("the server's roster.toml {}: run `fedvs init --admit` again", why));
  };
  if (roster.authority.fingerprint() != authority.fingerprint()) {
    return no("is another authority's");
  }
  if (roster.job_digest != job_digest(d.job)) return no("is for another job than job.toml");
  if (roster.trial != d.trial) return no("and deployment.toml disagree whether this is a trial");
  if (!std::ranges::equal(roster.clients, d.clients, {}, &RosterClient::name)) {
    return no("lists other clients than deployment.toml");
  }
  return {};
}

}  // namespace

Result<seal::SigningKey> load_signing_key(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / files::kSigningKey, ignored)) {
    return refused(fmt::format(
        "{} has no {}, with which the server signs plans: take it from a backup, or, if "
        "an older version of FedVS made the folder, make the deployment anew (fedvs "
        "init)",
        folder.string(), files::kSigningKey));
  }
  FEDVS_TRY(auto seed, read_secret_key(folder / files::kSigningKey));
  return seal::SigningKey::of(std::move(seed));
}

Result<Authority> load_authority(const fs::path& folder) {
  FEDVS_TRY(auto certificate, load_certificate(folder / files::kAuthorityCertificate));
  FEDVS_TRY(auto key, load_key_of(certificate, folder / files::kAuthorityKey));
  return Authority{std::move(certificate), std::move(key)};
}

Result<ServerFolder> load_server_folder(const fs::path& folder, std::time_t now) {
  FEDVS_TRY(Deployment d, load_deployment(folder));
  FEDVS_TRY(const auto authority, load_certificate(folder / files::kAuthorityCertificate));
  FEDVS_TRY(const auto certificate, load_certificate(folder / files::kServerCertificate));
  FEDVS_TRY(const auto key, load_key_of(certificate, folder / files::kServerKey));
  FEDVS_TRY_STATUS(check_dates(certificate, "the server's", now));
  FEDVS_TRY(Roster roster, load_roster(folder));
  FEDVS_TRY_STATUS(check_roster(roster, d, authority));
  FEDVS_TRY(auto signing, load_signing_key(folder));
  if (signing.public_key != roster.signing_key) {
    return refused(
        "the server's roster.toml has another signing key than signing.key beside it: "
        "take both from the same backup");
  }
  const Digest digest = job_digest(d.job);
  return ServerFolder{.job = std::move(d.job),
                      .job_digest = digest,
                      .roster = std::move(roster),
                      .authority_pem = authority.pem(),
                      .certificate_pem = certificate.pem(),
                      .key_pem = key.pem(),
                      .signing = std::move(signing)};
}

}  // namespace fedvs::deploy
