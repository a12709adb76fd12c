// Asks a server's status endpoint.
#pragma once
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/deploy/address.h"
#include "fedvs/party/run_status.h"

namespace fedvs::status {

struct FetchedStatus {
  party::RunStatus status;
  std::string json;  // as it came, and found to be a status
};
// Takes some seconds at most. kBadFile if nobody answers there, kBadData if something else does.
Result<FetchedStatus> fetch_status(const deploy::Address& address);

}  // namespace fedvs::status
