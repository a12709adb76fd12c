// Admitting clients: from their requests to certificates and the roster.
#pragma once
#include <ctime>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/deploy/request.h"
#include "fedvs/deploy/roster.h"

namespace fedvs::deploy {

struct AdmissionRules {
  int days = 365;        // that certificates are valid for
  bool replace = false;  // take other keys for a client that was admitted before
};

struct Admission {
  struct Client {
    std::string name;
    Digest fingerprint;
    std::time_t expires;
    bool renewed;  // was admitted before
  };
  std::vector<Client> admitted;      // now
  std::vector<std::string> missing;  // still
  std::optional<Roster> roster;      // once nobody is missing
};

// Checks all requests, then certifies them and, when nobody is missing, writes roster.toml. A
// client that was admitted with the same keys gets a new certificate. kRefused, with nothing
// written, for a request from somebody who is not invited, for another job or authority, after the
// invitation has expired, twice for one client, or with other keys than before.
Result<Admission> admit(const std::filesystem::path& server_folder,
                        std::span<const Request> requests, const AdmissionRules& rules,
                        std::time_t now);

}  // namespace fedvs::deploy
