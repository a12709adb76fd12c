// The only way out for what a party says. A driver hands a message over when everything that it
// follows from is saved, and when its numbers are computed: whoever has the message may send it at
// once.
#pragma once
#include "fedvs/protocol/work.h"

namespace fedvs::drive {

class Outbox {
 public:
  virtual ~Outbox() = default;
  // Must not call the driver back. What cannot be sent (the recipient is away) is dropped: the
  // protocol asks again for what it misses.
  virtual void send(int to, protocol::Lane lane, const protocol::MessagePtr& message) = 0;
};

}  // namespace fedvs::drive
