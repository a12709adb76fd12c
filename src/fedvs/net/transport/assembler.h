// Chunks of one direction of one stream become parcels again. The chunks come from a peer, so each
// claim is checked before memory is taken for it. Not thread-safe; knows nothing of gRPC.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/net/transport/frame.h"

namespace fedvs::transport {

class Assembler {
 public:
  // `largest` is looked at when a parcel begins, and must outlive the assembler. Holds at most one
  // parcel per lane, so at most kLanes * largest bytes.
  explicit Assembler(const std::atomic<std::size_t>& largest) : largest_(&largest) {}

  // The parcel that this chunk completes, if it does. kRefused if the chunk is too large, out of
  // order, of another parcel than the one under way on its lane, or claims too much; the stream
  // cannot go on after that.
  Result<std::optional<Parcel>> add(const ChunkHead& head, std::string payload);

 private:
  struct UnderWay {
    ChunkHead first;  // parcel 0: none yet
    std::string bytes;
    bool complete = true;
  };
  Status check_first(const ChunkHead& head, std::size_t size, const UnderWay& lane) const;
  const std::atomic<std::size_t>* largest_;
  std::array<UnderWay, kLanes> lanes_;
};

}  // namespace fedvs::transport
