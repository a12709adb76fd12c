// Protocol messages as the transport takes them: how urgent, and as which bytes.
#pragma once
#include "fedvs/net/transport/parcel.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/net/wire/envelope.h"
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

// One that the server reads, or says.
inline std::string in_the_open(const protocol::Message& message) {
  return wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(message)}));
}

}  // namespace fedvs::party
