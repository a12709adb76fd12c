#include "fedvs/net/transport/assembler.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace fedvs::transport {
namespace {

template <class... Args>
Error refused(const ChunkHead& head, fmt::format_string<Args...> f, Args&&... args) {
  return {ErrorCode::kRefused, fmt::format("parcel {} on lane {}: {}", head.parcel, head.lane,
                                           fmt::format(f, std::forward<Args>(args)...))};
}

Status check_form(const ChunkHead& head, std::size_t size) {
  if (head.lane >= kLanes) return refused(head, "there are only {} lanes", kLanes);
  if (size > kChunkBytes) {
    return refused(head, "a chunk of {} bytes, at most {} are allowed", size, kChunkBytes);
  }
  if (head.from < kServer || head.to < kServer) {
    return refused(head, "from {} to {}: there are no such parties", head.from, head.to);
  }
  if (size == 0 && head.total != 0) return refused(head, "an empty chunk brings it no further");
  return {};
}

Status check_next(const ChunkHead& head, std::size_t size, const ChunkHead& first,
                  std::size_t have) {
  if (head.parcel != first.parcel || head.from != first.from || head.to != first.to ||
      head.total != first.total) {
    return refused(head,
                   "from {} to {} of {} bytes, while parcel {} from {} to {} of {} bytes is not "
                   "complete",
                   head.from, head.to, head.total, first.parcel, first.from, first.to, first.total);
  }
  if (head.offset != have) return refused(head, "offset {} after {} bytes", head.offset, have);
  if (size > first.total - have) {
    return refused(head, "{} bytes at offset {} of only {}", size, have, first.total);
  }
  return {};
}

}  // namespace

Status Assembler::check_first(const ChunkHead& head, std::size_t size, const UnderWay& lane) const {
  if (head.parcel != lane.first.parcel + 1) {
    return refused(head, "parcel {} must come next", lane.first.parcel + 1);
  }
  if (head.offset != 0) return refused(head, "it begins at offset {}", head.offset);
  if (const std::size_t largest = *largest_; head.total > largest) {
    return refused(head, "{} bytes, at most {} are accepted", head.total, largest);
  }
  if (size > head.total) return refused(head, "{} bytes of only {}", size, head.total);
  return {};
}

Result<std::optional<Parcel>> Assembler::add(const ChunkHead& head, std::string payload) {
  FEDVS_TRY_STATUS(check_form(head, payload.size()));
  UnderWay& lane = lanes_[head.lane];
  if (lane.complete) {
    FEDVS_TRY_STATUS(check_first(head, payload.size(), lane));
    lane.first = head;
    lane.bytes = std::move(payload);
    lane.bytes.reserve(head.total);
  } else {
    FEDVS_TRY_STATUS(check_next(head, payload.size(), lane.first, lane.bytes.size()));
    lane.bytes += payload;
  }
  lane.complete = lane.bytes.size() == lane.first.total;
  if (!lane.complete) return std::optional<Parcel>();
  return std::optional(Parcel{.from = head.from,
                              .to = head.to,
                              .lane = static_cast<Lane>(head.lane),
                              .bytes = share(std::exchange(lane.bytes, {}))});
}

}  // namespace fedvs::transport
