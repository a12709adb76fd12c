#include "fedvs/net/transport/grpc_frame.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/support/slice.h>

#include <array>
#include <utility>

namespace fedvs::transport {
namespace {

v1::Frame::Kind kind_on_wire(FrameKind kind) {
  if (kind == FrameKind::kChunk) return v1::Frame::CHUNK;
  return kind == FrameKind::kGoodbye ? v1::Frame::GOODBYE : v1::Frame::HEARTBEAT;
}

FrameKind kind_of(v1::Frame::Kind kind) {
  if (kind == v1::Frame::CHUNK) return FrameKind::kChunk;
  if (kind == v1::Frame::HEARTBEAT) return FrameKind::kHeartbeat;
  return kind == v1::Frame::GOODBYE ? FrameKind::kGoodbye : FrameKind::kUnknown;
}

v1::Frame without_payload(const OutgoingFrame& frame) {
  v1::Frame wire;
  wire.set_kind(kind_on_wire(frame.kind));
  if (frame.kind == FrameKind::kChunk) {
    wire.set_lane(frame.head.lane);
    wire.set_parcel(frame.head.parcel);
    wire.set_from(frame.head.from);
    wire.set_to(frame.head.to);
    wire.set_total(frame.head.total);
    wire.set_offset(frame.head.offset);
  } else if (frame.kind == FrameKind::kGoodbye) {
    wire.set_reason(printable(frame.goodbye.reason));
    wire.set_refused(frame.goodbye.refused);
  }
  return wire;
}

// The payload's field number, type and length, as protobuf would write them before its bytes.
void append_payload_prefix(std::string& fields, std::size_t size) {
  constexpr int kLengthDelimited = 2;
  constexpr auto kTag =
      static_cast<std::uint32_t>(v1::Frame::kPayloadFieldNumber << 3 | kLengthDelimited);
  google::protobuf::io::StringOutputStream stream(&fields);  // appends
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteVarint32(kTag);
  out.WriteVarint64(size);
}

// Keeps the parcel alive until gRPC has sent the slice.
grpc::Slice slice_of(const OutgoingFrame& frame) {
  auto* const keeper = new Bytes(frame.bytes);
  const auto release = [](void* held) { delete static_cast<Bytes*>(held); };
  return {const_cast<char*>(frame.bytes->data() + frame.head.offset), frame.size, release, keeper};
}

}  // namespace

grpc::ByteBuffer on_wire(const OutgoingFrame& frame) {
  std::string fields = without_payload(frame).SerializeAsString();
  if (frame.size == 0) {
    const grpc::Slice only(fields);
    return {&only, 1};
  }
  append_payload_prefix(fields, frame.size);
  const std::array<grpc::Slice, 2> slices = {grpc::Slice(fields), slice_of(frame)};
  return {slices.data(), slices.size()};
}

void take_from(v1::Frame& wire, IncomingFrame& into) {
  into.kind = kind_of(wire.kind());
  into.head = {.lane = wire.lane(),
               .parcel = wire.parcel(),
               .from = wire.from(),
               .to = wire.to(),
               .total = wire.total(),
               .offset = wire.offset()};
  into.payload = std::move(*wire.mutable_payload());
  into.goodbye = {std::move(*wire.mutable_reason()), wire.refused()};
}

}  // namespace fedvs::transport
