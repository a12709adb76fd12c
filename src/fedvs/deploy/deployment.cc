// Making a deployment, and reading what it is.
#include <fmt/format.h>

#include "fedvs/base/files.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/folder_names.h"
#include "fedvs/deploy/new_folder.h"
#include "fedvs/deploy/party_name.h"
#include "fedvs/deploy/server_folder.h"
#include "fedvs/deploy/utc_time.h"
#include "fedvs/job/parse.h"
#include "fedvs/job/print.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

constexpr int kAuthorityDays = 3650;

Error bad(std::string message) { return {ErrorCode::kBadJob, std::move(message)}; }

std::string print_deployment(const Deployment& d) {
  DocumentWriter out("Who is invited to the job beside it.", "deployment");
  out.list("clients", d.clients);
  out.text("server_address", d.server.text());
  out.text("invitations_expire", utc_text(d.invitations_expire));
  out.flag("trial", d.trial);
  return out.written();
}

Status write_authority(const Authority& authority, const fs::path& folder) {
  FEDVS_TRY_STATUS(write_key_file(folder / files::kAuthorityKey, authority.key.pem().view()));
  return write_atomically(folder / files::kAuthorityCertificate, authority.certificate.pem(),
                          Readers::kOwner);
}

Status write_server_identity(const Authority& authority, const Address& address, Validity validity,
                             const fs::path& folder) {
  const auto key = PrivateKey::generate();
  FEDVS_TRY_STATUS(write_key_file(folder / files::kServerKey, key.pem().view()));
  FEDVS_TRY_STATUS(write_secret_key(folder / files::kSigningKey, seal::SecretKey::generate()));
  return write_atomically(folder / files::kServerCertificate,
                          authority.certify_server(key, address, validity).pem(), Readers::kOwner);
}

Invitation invitation_for(const std::string& name, const Deployment& d, const Authority& a) {
  Invitation invitation{.job = d.job,
                        .job_digest = job_digest(d.job),
                        .name = name,
                        .clients = d.clients,
                        .server = d.server,
                        .expires = d.invitations_expire,
                        .authority = a.certificate.pem()};
  sign(invitation, a.key);
  return invitation;
}

}  // namespace

Result<Deployment> plan_deployment(Job job, std::vector<std::string> clients, Address server,
                                   bool trial, std::time_t invitations_expire) {
  FEDVS_TRY_STATUS(check_names(clients));
  const int named = static_cast<int>(clients.size());
  if (job.data.clients != 0 && job.data.clients != named) {
    return bad(
        fmt::format("{} clients are named, and the job has data.clients = {}: name as many "
                    "as it has, or leave data.clients out",
                    named, job.data.clients));
  }
  job.data.clients = named;
  FEDVS_TRY_STATUS(validate(job));
  if (trial && !server.is_loopback()) {
    return bad(
        fmt::format("a trial stays on this machine, and {} is another's address: leave "
                    "--server-address out or use 127.0.0.1:PORT",
                    server.text()));
  }
  if (!trial && server.port == 0) {
    return bad(fmt::format("server address {}: clients need to know the port", server.text()));
  }
  return Deployment{std::move(job), std::move(clients), std::move(server), invitations_expire,
                    trial};
}

Result<Founded> found_server(const Deployment& deployment, const fs::path& folder,
                             std::time_t now) {
  const auto validity = Validity::days_from(now, kAuthorityDays);
  const std::string digits = to_hex(job_digest(deployment.job)).substr(0, 12);
  auto authority = Authority::make("FedVS authority of job " + digits, validity);
  FEDVS_TRY_STATUS(write_authority(authority, folder));
  FEDVS_TRY_STATUS(write_server_identity(authority, deployment.server, validity, folder));
  FEDVS_TRY_STATUS(
      write_atomically(folder / files::kJob, print_job(deployment.job), Readers::kOwner));
  FEDVS_TRY_STATUS(
      write_atomically(folder / files::kDeployment, print_deployment(deployment), Readers::kOwner));
  FEDVS_TRY_STATUS(make_folder(folder / files::kAdmitted));
  Founded founded{std::move(authority), {}};
  for (const auto& name : deployment.clients) {
    founded.invitations.push_back(invitation_for(name, deployment, founded.authority));
  }
  return founded;
}

Result<Deployed> deploy(const Deployment& deployment, const fs::path& folder, std::time_t now) {
  FEDVS_TRY(auto made, NewFolder::begin(folder));
  FEDVS_TRY_STATUS(make_folder(made.path() / files::kServer));
  FEDVS_TRY_STATUS(make_folder(made.path() / files::kInvitations));
  FEDVS_TRY(const auto founded, found_server(deployment, made.path() / files::kServer, now));
  Deployed deployed{job_digest(deployment.job), founded.authority.certificate.fingerprint(), {}};
  for (const auto& invitation : founded.invitations) {
    const auto file = fs::path(files::kInvitations) / (invitation.name + ".invite");
    FEDVS_TRY_STATUS(
        write_atomically(made.path() / file, print_invitation(invitation), Readers::kOwner));
    deployed.invitations.push_back(folder / file);
  }
  FEDVS_TRY_STATUS(made.commit());
  return deployed;
}

Result<Deployment> load_deployment(const fs::path& folder) {
  const fs::path file = folder / files::kDeployment;
  auto text = read_document(file);
  if (!text) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("{} is not a server's folder: {}; name the folder `server` that fedvs "
                             "init made, with --dir",
                             folder.string(), text.error().message)};
  }
  FEDVS_TRY(const auto in, Document::parse(*text, file.string(), "deployment"));
  Deployment d;
  FEDVS_TRY(d.clients, in.list("clients"));
  FEDVS_TRY_STATUS(check_names(d.clients));
  FEDVS_TRY(const std::string address, in.text("server_address"));
  FEDVS_TRY(d.server, parse_address(address));
  FEDVS_TRY(const std::string expire, in.text("invitations_expire"));
  const auto moment = from_utc_text(expire);
  if (!moment) return in.bad("invitations_expire", "is no moment like 2026-11-16T09:30:00Z");
  d.invitations_expire = *moment;
  FEDVS_TRY(d.trial, in.flag("trial"));
  FEDVS_TRY(const std::string job, read_file(folder / files::kJob));
  FEDVS_TRY(d.job, parse_job(job, (folder / files::kJob).string()));
  FEDVS_TRY_STATUS(validate(d.job));
  return d;
}

}  // namespace fedvs::deploy
