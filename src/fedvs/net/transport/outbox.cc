#include "fedvs/net/transport/outbox.h"

#include <algorithm>
#include <utility>

namespace fedvs::transport {

bool Outbox::has_room(std::size_t size) const {
  return bytes_ == 0 || (bytes_ < limit_ && size <= limit_ - bytes_);
}

void Outbox::push(Parcel parcel) {
  const std::size_t bytes = parcel.bytes->size() + kAllowance;
  bytes_ += bytes;
  by_sender_[parcel.from] += bytes;
  auto& lane = lanes_[static_cast<std::size_t>(parcel.lane)];
  lane.parcels[parcel.from].push_back(std::move(parcel));
}

std::size_t Outbox::bytes_of(int sender) const {
  const auto found = by_sender_.find(sender);
  return found == by_sender_.end() ? 0 : found->second;
}

void Outbox::count_out(int sender, std::size_t bytes) {
  bytes_ -= bytes;
  const auto found = by_sender_.find(sender);
  found->second -= bytes;
  if (found->second == 0) by_sender_.erase(found);
}

std::optional<OutgoingFrame> Outbox::next() {
  for (Waiting& lane : lanes_) {
    if (!lane.parcels.empty()) return cut(lane);
  }
  return std::nullopt;
}

// A parcel that is under way ends before another begins.
void Outbox::take_turns(Waiting& lane) {
  if (lane.offset > 0) return;
  auto next = lane.parcels.upper_bound(lane.turn);
  if (next == lane.parcels.end() || lane.parcels.contains(kServer)) next = lane.parcels.begin();
  lane.turn = next->first;
}

OutgoingFrame Outbox::cut(Waiting& lane) {
  take_turns(lane);
  const auto sender = lane.parcels.find(lane.turn);
  const Parcel& parcel = sender->second.front();
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
  const bool complete = lane.offset == total;
  count_out(lane.turn, chunk.size + (complete ? kAllowance : 0));
  if (!complete) return chunk;
  sender->second.pop_front();
  if (sender->second.empty()) lane.parcels.erase(sender);
  lane.offset = 0;
  ++lane.number;
  return chunk;
}

void Outbox::clear() {
  for (Waiting& lane : lanes_) {
    lane.parcels.clear();
    lane.offset = 0;
  }
  by_sender_.clear();
  bytes_ = 0;
}

}  // namespace fedvs::transport
