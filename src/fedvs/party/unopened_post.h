// Sealed messages that could not be opened: perhaps their sender has just begun a life that the
// server's next welcome names, and was quicker than the welcome. They are tried again after it. Of
// each sender a few of the newest are kept, since anybody can send what does not open.
#pragma once
#include <deque>
#include <utility>

#include "fedvs/net/wire/envelope.h"

namespace fedvs::party {

class UnopenedPost {
 public:
  // Of all senders together; each has its part, at least kFewest messages and one of any size.
  static constexpr std::size_t kMost = 256, kMostBytes = std::size_t{64} << 20, kFewest = 16;
  explicit UnopenedPost(std::size_t clients) : clients_(clients) {}

  void keep(wire::Sealed&& sealed);  // in place of its sender's oldest ones, if need be
  std::deque<wire::Sealed> take_all() { return std::exchange(kept_, {}); }  // the oldest first

 private:
  std::size_t clients_;
  std::deque<wire::Sealed> kept_;
};

}  // namespace fedvs::party
