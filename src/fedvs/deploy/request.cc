#include "fedvs/deploy/request.h"

#include <fmt/format.h>

#include "fedvs/deploy/document.h"
#include "fedvs/deploy/fingerprint.h"
#include "fedvs/deploy/party_name.h"

namespace fedvs::deploy {
namespace {

std::string body(const Request& r) {
  DocumentWriter out("A client's request to a FedVS server: fedvs init --admit FILE", "request");
  out.text("name", r.name);
  out.digest("job_digest", r.job_digest);
  out.digest("authority", r.authority);
  out.digest("sealing_key", r.sealing_key);
  out.text("signing_request", r.tls.pem());
  return out.written();
}

}  // namespace

Digest Request::fingerprint() const {
  return client_fingerprint(job_digest, name, tls.public_key(), sealing_key);
}

void sign(Request& request, const PrivateKey& tls_key) {
  request.signature = tls_key.sign(body(request));
}

std::string print_request(const Request& request) {
  return body(request) + signature_block(request.signature);
}

Result<Request> parse_request(std::string_view text, std::string_view where) {
  FEDVS_TRY(const auto in, Document::parse(text, where, "request"));
  FEDVS_TRY(const std::string name, in.text("name"));
  FEDVS_TRY_STATUS(check_name(name));
  FEDVS_TRY(const Digest job, in.digest("job_digest"));
  FEDVS_TRY(const Digest authority, in.digest("authority"));
  FEDVS_TRY(const Digest sealing_key, in.digest("sealing_key"));
  FEDVS_TRY(const std::string pem, in.text("signing_request"));
  FEDVS_TRY(auto tls, SigningRequest::from_pem(pem, where));
  if (tls.common_name() != name) return in.bad("name", "is not the one in the signing request");
  Request request{name, job, authority, sealing_key, std::move(tls)};
  FEDVS_TRY(request.signature, in.signature());
  if (request.tls.verifies(body(request), request.signature)) return request;
  return Error{
      ErrorCode::kRefused,
      fmt::format("{}: it was changed after {} signed it; ask for the request again", where, name)};
}

}  // namespace fedvs::deploy
