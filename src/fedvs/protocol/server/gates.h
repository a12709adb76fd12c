// How much one client may make the server do. Returns make work for everybody; the newest report
// says what all before it did; remarks are lines in logs.
#pragma once
#include "fedvs/protocol/server/turnstile.h"

namespace fedvs::protocol {

struct Gates {
  explicit Gates(int clients)
      : returns(clients, /*at_once=*/4, /*seconds_each=*/5),
        reports(clients, /*at_once=*/1000, /*seconds_each=*/1e-3),
        remarks(clients, /*at_once=*/10, /*seconds_each=*/5) {}
  Turnstile returns, reports, remarks;
};

}  // namespace fedvs::protocol
