// How much a connection may hold and how long it may take; every wait in this folder ends by one of
// these.
#pragma once
#include <chrono>
#include <cstddef>

#include "fedvs/base/result.h"

namespace fedvs::transport {

using Clock = std::chrono::steady_clock;
using Duration = std::chrono::milliseconds;

struct Limits {
  std::size_t queue_bytes = std::size_t{256} << 20;    // waiting to be sent, per connection
  std::size_t largest_parcel = std::size_t{64} << 20;  // that is accepted from a peer

  Duration heartbeat{5'000};      // at least one frame each way in this time
  Duration silent_after{20'000};  // a peer that sends nothing, or reads nothing, is gone after this
  Duration connect_within{10'000};  // from dialling to the server's first frame
  Duration goodbye_within{1'000};   // for the peer to hang up once goodbye is said

  Duration first_retry{200};       // doubles with every failure
  Duration last_retry{2'000};      // up to this: nobody waits long for a server that is back
  Duration refused_retry{15'000};  // after a refusal
};

// kBadJob unless all are positive, heartbeat < silent_after and first_retry <= last_retry.
Status check(const Limits& limits);

}  // namespace fedvs::transport
