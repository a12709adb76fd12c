// Parcels that wait to be sent on one stream, handed out chunk by chunk: the most urgent lane
// first. Within a lane the server's own go first, then senders take turns, parcel by parcel, so
// that nobody waits behind all that another sends; of one sender in order. Not thread-safe; Session
// guards it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "fedvs/net/transport/frame.h"

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
  std::size_t bytes_of(int sender) const;  // of these, in parcels of this sender

 private:
  static constexpr std::size_t kAllowance = 128;
  struct Waiting {
    std::map<int, std::deque<Parcel>> parcels;  // by sender; none is empty
    int turn = kServer;                         // whose parcel is under way, or was the last
    std::size_t offset = 0;                     // of what is left of that parcel
    std::uint64_t number = 1;                   // of that parcel
  };
  static void take_turns(Waiting& lane);
  OutgoingFrame cut(Waiting& lane);
  void count_out(int sender, std::size_t bytes);
  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::map<int, std::size_t> by_sender_;  // of bytes_; none is zero
  std::array<Waiting, kLanes> lanes_;
};

}  // namespace fedvs::transport
