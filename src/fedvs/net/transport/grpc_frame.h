// Frames on the wire. What comes in is protobuf's v1::Frame. What goes out is the same on the wire,
// but made of two pieces of memory: the fields, and the parcel's own bytes, which are not copied.
#pragma once
#include <grpcpp/impl/codegen/call_op_set.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include "fedvs/net/transport/frame.h"
#include "fedvs/v1/transport.pb.h"

namespace fedvs::transport {

inline constexpr const char* kAttendMethod = "/fedvs.v1.Relay/Attend";

grpc::ByteBuffer on_wire(const OutgoingFrame& frame);
// Parcels of clients are small and come in bursts: those that wait go out in one TLS record.
inline grpc::WriteOptions options_for(const OutgoingFrame& frame) {
  return frame.more ? grpc::WriteOptions().set_buffer_hint() : grpc::WriteOptions();
}
void take_from(v1::Frame& wire, IncomingFrame& into);  // moves the payload out

}  // namespace fedvs::transport

// gRPC's own door for messages that are not protobuf's.
template <>
class grpc::SerializationTraits<fedvs::transport::OutgoingFrame> {
 public:
  static grpc::Status Serialize(const fedvs::transport::OutgoingFrame& frame,
                                grpc::ByteBuffer* bytes, bool* own_bytes) {
    *bytes = fedvs::transport::on_wire(frame);
    *own_bytes = true;
    return grpc::Status::OK;
  }
};
