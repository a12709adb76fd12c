// How urgent the protocol's messages are on the wire.
#pragma once
#include "fedvs/net/transport/parcel.h"
#include "fedvs/protocol/work.h"

namespace fedvs::party {

static_assert(protocol::kServer == transport::kServer);

inline transport::Lane lane_of(protocol::Channel channel) {
  switch (channel) {
    case protocol::Channel::kControl:
      return transport::Lane::kControl;
    case protocol::Channel::kUpload:
      return transport::Lane::kUpload;
    case protocol::Channel::kShare:
      return transport::Lane::kShare;
    default:
      return transport::Lane::kBulk;
  }
}

}  // namespace fedvs::party
