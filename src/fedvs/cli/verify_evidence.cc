// fedvs verify-evidence: whether a file proves that a server signed two chains of plans.
#include <fmt/format.h>

#include <iostream>

#include "fedvs/base/files.h"
#include "fedvs/cli/commands.h"
#include "fedvs/deploy/document.h"
#include "fedvs/party/evidence.h"

namespace fedvs::cli {
namespace {

Status check_roster(const party::Evidence& evidence, const std::string& file) {
  FEDVS_TRY(const auto text, deploy::read_document(file));
  FEDVS_TRY(const auto roster, deploy::parse_roster(text, file));
  if (roster.signing_key == evidence.server_key) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the evidence is against another server than that of {}: key {}", file,
                           to_hex(evidence.server_key))};
}

Result<party::Evidence> verified(const VerifyEvidenceOptions& options) {
  FEDVS_TRY(const auto text, deploy::read_document(options.file));
  FEDVS_TRY(auto evidence, party::parse_evidence(text, options.file));
  if (auto good = party::check(evidence); !good) {
    return Error{good.error().code,
                 fmt::format("{} proves nothing: {}", options.file, good.error().message)};
  }
  if (!options.roster.empty()) FEDVS_TRY_STATUS(check_roster(evidence, options.roster));
  return evidence;
}

}  // namespace

ExitStatus verify_evidence(const VerifyEvidenceOptions& options) {
  const auto evidence = verified(options);
  if (!evidence) {
    std::cerr << "fedvs verify-evidence: " << evidence.error().message << "\n";
    return exit_status(evidence.error());
  }
  std::cout << fmt::format("proven: the holder of key {} signed two different plans {} of run {}\n",
                           to_hex(evidence->server_key), evidence->proof.other.index,
                           to_hex(evidence->proof.run));
  if (options.roster.empty()) {
    std::cout << "whether that key is the server's, a roster tells: --roster roster.toml\n";
  } else {
    std::cout << "that key is the server's of " << options.roster << "\n";
  }
  return kOk;
}

}  // namespace fedvs::cli
