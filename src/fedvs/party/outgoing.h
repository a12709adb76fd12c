// Protocol messages as the transport takes them: how urgent, and as which bytes.
#pragma once
#include "fedvs/net/transport/parcel.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/protocol/work.h"

namespace fedvs::party {

static_assert(protocol::kServer == transport::kServer);
static_assert(static_cast<int>(protocol::Lane::kUpload) ==
              static_cast<int>(transport::Lane::kUpload));
static_assert(static_cast<int>(protocol::Lane::kShare) ==
              static_cast<int>(transport::Lane::kShare));
static_assert(static_cast<int>(protocol::Lane::kBulk) == static_cast<int>(transport::Lane::kBulk));

inline transport::Lane lane_of(protocol::Lane lane) { return static_cast<transport::Lane>(lane); }

// One that the server reads, or says.
inline std::string in_the_open(const protocol::Message& message) {
  return wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(message)}));
}

}  // namespace fedvs::party
