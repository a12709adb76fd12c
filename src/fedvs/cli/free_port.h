// A port of this machine's loopback for a server to come.
#pragma once
#include "fedvs/base/result.h"

namespace fedvs::cli {

// One that nobody listens on now, and that the system gives to nobody unasked: below the range from
// which Linux takes the ports of outgoing connections. kBadFile if none was found.
Result<int> free_loopback_port();

}  // namespace fedvs::cli
