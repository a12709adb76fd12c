// Parcels that wait to be sent on one stream, handed out chunk by chunk: the most urgent lane
// first, in order within a lane. Not thread-safe; Session guards it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "fedvs/transport/frame.h"

namespace fedvs::transport {

class Outbox {
 public:
  explicit Outbox(std::size_t limit) : limit_(limit) {}

  // Whether a parcel of `size` bytes may wait here. An empty outbox takes any.
  bool has_room(std::size_t size) const;
  void push(Parcel parcel);  // whether or not there is room
  // The next chunk; it shares the parcel's bytes. None if nothing waits.
  std::optional<OutgoingFrame> next();
  void clear();

  bool empty() const { return bytes_ == 0; }
  // What waits, with an allowance per parcel, so that empty parcels are bounded as well.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kAllowance = 128;
  struct Waiting {
    std::deque<Parcel> parcels;
    std::size_t offset = 0;    // of what is left of the first
    std::uint64_t number = 1;  // of the first
  };
  OutgoingFrame cut(Waiting& lane);
  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::array<Waiting, kLanes> lanes_;
};

}  // namespace fedvs::transport
