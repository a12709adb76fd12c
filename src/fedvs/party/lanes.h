// How urgent the protocol's messages are on the wire.
#pragma once
#include "fedvs/net/transport/parcel.h"
#include "fedvs/protocol/work.h"

namespace fedvs::party {

static_assert(protocol::kServer == transport::kServer);
static_assert(static_cast<int>(protocol::Lane::kUpload) ==
              static_cast<int>(transport::Lane::kUpload));
static_assert(static_cast<int>(protocol::Lane::kShare) ==
              static_cast<int>(transport::Lane::kShare));
static_assert(static_cast<int>(protocol::Lane::kBulk) == static_cast<int>(transport::Lane::kBulk));

inline transport::Lane lane_of(protocol::Lane lane) { return static_cast<transport::Lane>(lane); }

}  // namespace fedvs::party
