// What travels: parcels of bytes that mean nothing to this folder.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace fedvs::transport {

inline constexpr int kServer = -1;  // clients count from 0

// By urgency: chunks of a lane go out only while those before it have nothing to send.
enum class Lane : std::uint8_t { kControl, kUpload, kShare, kBulk };
inline constexpr std::size_t kLanes = 4;

// Shared, so that a broadcast and the queues it waits in hold one copy.
using Bytes = std::shared_ptr<const std::string>;
inline Bytes share(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

struct Parcel {
  int from = kServer;
  int to = kServer;
  Lane lane = Lane::kControl;
  Bytes bytes;
};

}  // namespace fedvs::transport
