// fedvs init: who is who in a networked job. Four steps on two sides: invite (server), join
// (client), admit (server), accept (client); or all of them at once for a trial.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fedvs/base/files.h"
#include "fedvs/cli/away.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/networked_job.h"
#include "fedvs/deploy/admission.h"
#include "fedvs/deploy/client_folder.h"
#include "fedvs/deploy/confirmation.h"
#include "fedvs/deploy/document.h"
#include "fedvs/deploy/hex.h"
#include "fedvs/deploy/party_name.h"
#include "fedvs/deploy/trial.h"
#include "fedvs/deploy/utc_time.h"
#include "fedvs/job/parse.h"
#include "fedvs/protocol/exposure.h"

namespace fedvs::cli {
namespace {

using deploy::grouped;
using nlohmann::json;

struct Answer {  // the same, for people and for machines
  std::string text;
  json object;
};

Error bad_usage(std::string message) { return {ErrorCode::kBadJob, std::move(message)}; }

Result<Job> job_of(const InitOptions& o) {
  JobSource source;
  FEDVS_TRY(source.toml, read_file(o.job_file));
  source.filename = o.job_file;
  source.sets = o.sets;
  FEDVS_TRY(Job job, complete_job(source));
  FEDVS_TRY_STATUS(check_networked_method(job));
  return job;
}

Result<deploy::Deployment> deployment_of(const InitOptions& o, std::time_t now) {
  FEDVS_TRY(Job job, job_of(o));
  std::string at = o.server_address;
  if (at.empty() && o.trial) at = "127.0.0.1:7443";
  if (at.empty()) return bad_usage("where will the server be? Add --server-address HOST:PORT");
  FEDVS_TRY(const auto address, deploy::parse_address(at));
  auto names = o.clients;
  if (names.empty() && o.trial) names = deploy::numbered_names(job.data.clients);
  FEDVS_TRY(auto deployment,
            deploy::plan_deployment(std::move(job), std::move(names), address, o.trial,
                                    now + o.invitation_days * deploy::kDay));
  FEDVS_TRY_STATUS(check_networked_shape(deployment.job));  // before anybody is invited
  return deployment;
}

// What everybody should hear before going on: who may be away, and what the sums expose.
void add_prospects(Answer& answer, const Job& job, std::size_t clients,
                   const std::filesystem::path& job_file) {
  const int count = static_cast<int>(clients);
  const auto shape = networked_shape(job, count);
  const std::string exposure = protocol::exposure_before_columns(job, count);
  answer.text += fmt::format(
      "{}\n{}\nWith everybody's counts: fedvs plan --job {} --rows ... --columns A,B,... --classes "
      "...\n",
      away_text(shape), exposure, job_file.string());
  answer.object["may_be_away_for_moments"] = away_for_moments(shape);
  answer.object["may_be_away_for_long"] = away_for_long(shape);
  answer.object["one_group"] = protocol::one_group(count, job.code.colluding);
  answer.object["exposure"] = exposure;
}

Result<Answer> invite(const InitOptions& o, std::time_t now) {
  FEDVS_TRY(const auto deployment, deployment_of(o, now));
  const std::filesystem::path folder = o.dir.empty() ? "deploy" : o.dir;
  FEDVS_TRY(const auto made, deploy::deploy(deployment, folder, now));
  Answer answer;
  json invitations = json::array();
  answer.text = fmt::format(
      "Made {}/server for a server at {}.\nSend to each client its file, by {}:\n", folder.string(),
      deployment.server.text(), deploy::utc_text(deployment.invitations_expire));
  for (std::size_t n = 0; n < deployment.clients.size(); ++n) {
    const std::string file = made.invitations[n].string();
    answer.text += fmt::format("  {:<20} {}\n", deployment.clients[n], file);
    invitations.push_back({{"client", deployment.clients[n]}, {"file", file}});
  }
  answer.text += fmt::format(
      "They answer with requests: fedvs init --admit NAME.request ... --dir {}/server\n"
      "Authority  {}\n",
      folder.string(), grouped(made.authority));
  answer.object = {{"server", (folder / "server").string()},
                   {"invitations", invitations},
                   {"job_digest", to_hex(made.job_digest)},
                   {"authority", grouped(made.authority)}};
  add_prospects(answer, deployment.job, deployment.clients.size(), folder / "server" / "job.toml");
  return answer;
}

Result<Answer> make_trial(const InitOptions& o, std::time_t now) {
  FEDVS_TRY(const auto deployment, deployment_of(o, now));
  const std::filesystem::path folder = o.dir.empty() ? "deploy" : o.dir;
  FEDVS_TRY(const auto trial, deploy::deploy_trial(deployment, folder, o.days, now));
  json clients = json::array();
  for (std::size_t n = 0; n < trial.clients.size(); ++n) {
    clients.push_back({{"name", deployment.clients[n]}, {"folder", trial.clients[n].string()}});
  }
  Answer answer{fmt::format("Made {} and {} client folders in {}, for this machine only: all keys "
                            "were made in one place.\n",
                            trial.server.string(), trial.clients.size(), folder.string()),
                {{"server", trial.server.string()},
                 {"clients", clients},
                 {"server_address", deployment.server.text()},
                 {"job_digest", to_hex(trial.roster.job_digest)},
                 {"roster", grouped(fingerprint(trial.roster))},
                 {"trial", true}}};
  add_prospects(answer, deployment.job, deployment.clients.size(), trial.server / "job.toml");
  return answer;
}

Result<Answer> join(const InitOptions& o, std::time_t now) {
  FEDVS_TRY(const std::string text, deploy::read_document(o.join));
  FEDVS_TRY(const auto invitation, deploy::parse_invitation(text, o.join));
  const std::filesystem::path folder = o.dir.empty() ? invitation.name : o.dir;
  FEDVS_TRY(const auto joined, deploy::join(invitation, folder, now));
  Answer answer{
      fmt::format("Made {} for {}, client {} of {} ({}), with keys of its own.\n"
                  "Read the job: {}\n"
                  "Send {} to the server's operator, and accept the roster that comes back:\n"
                  "  fedvs init --accept roster.toml --dir {}\n"
                  "Your keys  {}\nAuthority  {}\n",
                  folder.string(), invitation.name, invitation.number() + 1,
                  invitation.clients.size(), fmt::join(invitation.clients, ", "),
                  (folder / "job.toml").string(), joined.request.string(), folder.string(),
                  grouped(joined.fingerprint), grouped(joined.authority)),
      {{"folder", folder.string()},
       {"client", invitation.name},
       {"number", invitation.number() + 1},
       {"request", joined.request.string()},
       {"fingerprint", grouped(joined.fingerprint)},
       {"authority", grouped(joined.authority)},
       {"job_digest", to_hex(invitation.job_digest)}}};
  add_prospects(answer, invitation.job, invitation.clients.size(), folder / "job.toml");
  return answer;
}

Answer answer_of(const deploy::Admission& admission, const std::filesystem::path& folder) {
  Answer answer;
  json admitted = json::array();
  for (const auto& client : admission.admitted) {
    const std::string until = deploy::utc_text(client.expires);
    answer.text += fmt::format("{} {} until {}\n  {}\n", client.renewed ? "Renewed " : "Admitted",
                               client.name, until, grouped(client.fingerprint));
    admitted.push_back({{"client", client.name},
                        {"fingerprint", grouped(client.fingerprint)},
                        {"expires", until},
                        {"renewed", client.renewed}});
  }
  answer.object = {{"admitted", admitted}, {"missing", admission.missing}};
  if (!admission.roster) {
    answer.text += fmt::format("Still missing: {}\n", fmt::join(admission.missing, ", "));
    return answer;
  }
  const std::string file = (folder / "roster.toml").string();
  const std::string print = grouped(fingerprint(*admission.roster));
  answer.text += fmt::format("All are here. Send {} to every client.\nRoster  {}\n", file, print);
  answer.object["roster_file"] = file;
  answer.object["roster"] = print;
  return answer;
}

Result<Answer> admit(const InitOptions& o, std::time_t now) {
  if (o.dir.empty()) return bad_usage("which server's folder? Add --dir deploy/server");
  std::vector<deploy::Request> requests;
  for (const auto& file : o.admit) {
    FEDVS_TRY(const std::string text, deploy::read_document(file));
    FEDVS_TRY(auto request, deploy::parse_request(text, file));
    requests.push_back(std::move(request));
  }
  const deploy::AdmissionRules rules{.days = o.days, .replace = o.replace};
  FEDVS_TRY(const auto admission, deploy::admit(o.dir, requests, rules, now));
  return answer_of(admission, o.dir);
}

Result<Answer> accept(const InitOptions& o, std::time_t now) {
  if (o.dir.empty()) return bad_usage("which client's folder? Add --dir, the one of --join");
  FEDVS_TRY(const std::string text, deploy::read_document(o.accept));
  FEDVS_TRY(auto read, deploy::parse_roster(text, o.accept));
  const bool compared = !o.fingerprint.empty();
  if (compared) FEDVS_TRY_STATUS(deploy::check_fingerprint(read, o.fingerprint));
  FEDVS_TRY(const auto accepted, deploy::accept_roster(o.dir, std::move(read), o.replace, now));
  const auto& roster = accepted.roster;
  if (compared) FEDVS_TRY_STATUS(deploy::confirm_roster(o.dir, roster, o.fingerprint));
  Answer answer;
  json clients = json::array();
  answer.text = fmt::format("Accepted the roster of a server at {}. Its clients' keys:\n",
                            roster.server.text());
  for (const auto& client : roster.clients) {
    const std::string print = grouped(client.fingerprint(roster.job_digest));
    answer.text += fmt::format("  {}\n    {}\n", client.name, print);
    clients.push_back({{"client", client.name}, {"fingerprint", print}});
  }
  const std::string print = grouped(fingerprint(roster));
  answer.text += fmt::format(
      "Roster  {}\n{}", print,
      compared ? ""
               : "Compare the roster's line with every other client on the phone before you start: "
                 "if it is the same for all, so are the keys. The first start asks for it: "
                 "--fingerprint.\n");
  answer.object = {{"clients", clients},
                   {"roster", print},
                   {"server_address", roster.server.text()},
                   {"replaced", accepted.changed},
                   {"trial", roster.trial}};
  return answer;
}

Result<Answer> carry_out(const InitOptions& o) {
  const std::time_t now = std::time(nullptr);
  if (!o.join.empty()) return join(o, now);
  if (!o.admit.empty()) return admit(o, now);
  if (!o.accept.empty()) return accept(o, now);
  if (o.job_file.empty()) {
    return bad_usage(
        "what shall be done? fedvs init JOB makes a deployment, --join, --admit and --accept are "
        "the steps after it; see fedvs init --help");
  }
  return o.trial ? make_trial(o, now) : invite(o, now);
}

}  // namespace

ExitStatus init(const InitOptions& options) {
  const auto answer = carry_out(options);
  if (!answer) {
    std::cerr << "fedvs init: " << answer.error().message << "\n";
    if (options.json) std::cout << json{{"error", answer.error().message}}.dump() << "\n";
    return exit_status(answer.error());
  }
  std::cout << (options.json ? answer->object.dump() + "\n" : answer->text);
  return kOk;
}

}  // namespace fedvs::cli
