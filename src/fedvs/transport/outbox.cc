#include "fedvs/transport/outbox.h"

#include <algorithm>
#include <utility>

namespace fedvs::transport {

bool Outbox::has_room(std::size_t size) const {
  return bytes_ == 0 || (bytes_ < limit_ && size <= limit_ - bytes_);
}

void Outbox::push(Parcel parcel) {
  bytes_ += parcel.bytes->size() + kAllowance;
  lanes_[static_cast<std::size_t>(parcel.lane)].parcels.push_back(std::move(parcel));
}

std::optional<OutgoingFrame> Outbox::next() {
  for (Waiting& lane : lanes_) {
    if (!lane.parcels.empty()) return cut(lane);
  }
  return std::nullopt;
}

OutgoingFrame Outbox::cut(Waiting& lane) {
  const Parcel& parcel = lane.parcels.front();
  const std::size_t total = parcel.bytes->size();
  OutgoingFrame chunk{.kind = FrameKind::kChunk,
                      .head = {.lane = static_cast<std::uint32_t>(parcel.lane),
                               .parcel = lane.number,
                               .from = parcel.from,
                               .to = parcel.to,
                               .total = total,
                               .offset = lane.offset},
                      .bytes = parcel.bytes,
                      .size = std::min(kChunkBytes, total - lane.offset),
                      .goodbye = {}};
  lane.offset += chunk.size;
  bytes_ -= chunk.size;
  if (lane.offset == total) {
    lane.parcels.pop_front();
    lane.offset = 0;
    ++lane.number;
    bytes_ -= kAllowance;
  }
  return chunk;
}

void Outbox::clear() {
  for (Waiting& lane : lanes_) lane.parcels.clear();
  bytes_ = 0;
}

}  // namespace fedvs::transport
