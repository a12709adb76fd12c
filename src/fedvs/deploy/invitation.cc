#include "fedvs/deploy/invitation.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/deploy/document.h"
#include "fedvs/deploy/party_name.h"
#include "fedvs/deploy/utc_time.h"
#include "fedvs/job/parse.h"
#include "fedvs/job/print.h"

namespace fedvs::deploy {
namespace {

// No value of print_job spans lines, so this stands between the job and the rest only.
constexpr std::string_view kHeading = "\n[invitation]\n";

std::string body(const Invitation& i) {
  DocumentWriter out("An invitation to a FedVS job: fedvs init --join FILE", "invitation");
  out.text("name", i.name);
  out.list("clients", i.clients);
  out.text("server_address", i.server.text());
  out.text("expires", utc_text(i.expires));
  out.digest("job_digest", i.job_digest);
  out.text("authority", i.authority);
  return out.written();
}

Error refused(std::string_view where, std::string_view why) {
  return {ErrorCode::kRefused,
          fmt::format("{}: {}; ask the server's operator for the invitation again", where, why)};
}

Result<Invitation> read(const Document& in) {
  Invitation i;
  FEDVS_TRY(i.name, in.text("name"));
  FEDVS_TRY(i.clients, in.list("clients"));
  FEDVS_TRY_STATUS(check_names(i.clients));
  if (std::ranges::find(i.clients, i.name) == i.clients.end()) {
    return in.bad("name", "is not among the clients");
  }
  FEDVS_TRY(const std::string address, in.text("server_address"));
  FEDVS_TRY(i.server, parse_address(address));
  FEDVS_TRY(const std::string expires, in.text("expires"));
  const auto moment = from_utc_text(expires);
  if (!moment) return in.bad("expires", "is no moment like 2026-11-16T09:30:00Z");
  i.expires = *moment;
  FEDVS_TRY(i.job_digest, in.digest("job_digest"));
  FEDVS_TRY(i.authority, in.text("authority"));
  FEDVS_TRY(i.signature, in.signature());
  return i;
}

Status check_signature(const Invitation& i, const Document& in) {
  FEDVS_TRY(const auto authority, Certificate::from_pem(i.authority, in.where()));
  if (authority.verifies(body(i), i.signature)) return {};
  return refused(in.where(), "it was changed after the authority signed it");
}

}  // namespace

int Invitation::number() const {
  return static_cast<int>(std::ranges::find(clients, name) - clients.begin());
}

void sign(Invitation& invitation, const PrivateKey& authority) {
  invitation.signature = authority.sign(body(invitation));
}

std::string print_invitation(const Invitation& invitation) {
  return fmt::format("{}{}{}{}", print_job(invitation.job), kHeading, body(invitation),
                     signature_block(invitation.signature));
}

Result<Invitation> parse_invitation(std::string_view text, std::string_view where) {
  const auto at = text.find(kHeading);
  if (at == std::string_view::npos) return refused(where, "there is no [invitation] in it");
  FEDVS_TRY(const auto in, Document::parse(text.substr(at + kHeading.size()), where, "invitation"));
  FEDVS_TRY(Invitation invitation, read(in));
  FEDVS_TRY_STATUS(check_signature(invitation, in));
  FEDVS_TRY(invitation.job, parse_job(text.substr(0, at + 1), where));
  FEDVS_TRY_STATUS(validate(invitation.job));
  if (job_digest(invitation.job) != invitation.job_digest) {
    return refused(where,
                   "the job in it is not the one that was signed, or was written by another "
                   "version of fedvs");
  }
  return invitation;
}

Status check_expiry(const Invitation& invitation, std::time_t now) {
  if (now <= invitation.expires) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the invitation of {} expired on {}, and it is {}: ask the server's "
                           "operator for a new one",
                           invitation.name, utc_text(invitation.expires), utc_text(now))};
}

}  // namespace fedvs::deploy
