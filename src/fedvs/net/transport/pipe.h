// A stream of frames to one peer, as Session sees it: gRPC behind it, or a fake in tests.
// One thread reads while another writes; cancel() may come from any.
#pragma once
#include "fedvs/net/transport/frame.h"

namespace fedvs::transport {

class Pipe {
 public:
  virtual ~Pipe() = default;
  virtual void open() = 0;  // blocks until there is a stream or there will be none
  // Both block, and return false once the stream is over.
  virtual bool read(IncomingFrame& into) = 0;
  virtual bool write(const OutgoingFrame& frame) = 0;
  virtual void writes_done() = 0;  // after the last write; the peer's reads end
  virtual void cancel() = 0;       // never blocks; ends whatever blocks above
};

}  // namespace fedvs::transport
