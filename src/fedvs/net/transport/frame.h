// One message of the stream, without gRPC or protobuf: proto/fedvs/v1/transport.proto as structs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fedvs/net/transport/parcel.h"

namespace fedvs::transport {

inline constexpr std::size_t kChunkBytes = std::size_t{512} << 10;

// Whatever a peer wrote there: nothing is checked before Assembler does.
struct ChunkHead {
  std::uint32_t lane = 0;
  std::uint64_t parcel = 0;
  int from = kServer;
  int to = kServer;
  std::uint64_t total = 0;
  std::uint64_t offset = 0;
};

struct Goodbye {
  std::string reason;
  bool refused = false;  // trying again will not help
};

enum class FrameKind { kChunk, kHeartbeat, kGoodbye, kUnknown };

struct IncomingFrame {
  FrameKind kind = FrameKind::kUnknown;
  ChunkHead head;
  std::string payload;
  Goodbye goodbye;
};

// The payload is `size` bytes of `bytes` from head.offset: never copied here.
struct OutgoingFrame {
  FrameKind kind = FrameKind::kHeartbeat;
  ChunkHead head;
  Bytes bytes;
  std::size_t size = 0;
  Goodbye goodbye;
  bool more = false;  // another follows at once: this one may go out together with it
};

// A peer's words, fit for a log: at most 1000 characters, and no control characters.
std::string printable(std::string_view reason);

}  // namespace fedvs::transport
