// One stream from its first frame to its last, the same at either end: a thread writes what waits
// in the outbox and heartbeats, the caller of run() reads, and watch() ends what takes too long.
//
//   running --close()------> draining (queued parcels, up to `drain`) --goodbye--> hanging up
//   running --peer's goodbye, error, silence-------------------------------------> hanging up
//   hanging up: nothing is sent or heeded any more; cancelled after limits.goodbye_within
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/net/transport/assembler.h"
#include "fedvs/net/transport/limits.h"
#include "fedvs/net/transport/outbox.h"
#include "fedvs/net/transport/pipe.h"

namespace fedvs::transport {

// Of a peer, over all its sessions. Payload only.
struct Traffic {
  std::atomic<std::uint64_t> bytes_in{0}, bytes_out{0};
  std::atomic<std::uint64_t> parcels_in{0}, parcels_out{0};
  std::atomic<std::uint64_t> bulk_bytes{0};  // either way, of large parcels on the bulk lane
  std::atomic<Clock::time_point> last_heard{Clock::time_point{}};
};

// Called by the thread in run(), without locks held.
struct SessionEvents {
  std::function<void()> greeted = [] {};  // the peer's first frame
  std::function<Status(Parcel)> parcel;   // an error closes the session with that reason
};

enum class Sent { kQueued, kFull, kOver };

class Session {
 public:
  // `largest_parcel` and `traffic` must outlive it; `pipe` until retire().
  Session(Pipe& pipe, const Limits& limits, const std::atomic<std::size_t>& largest_parcel,
          Traffic& traffic, SessionEvents events);

  void run();     // returns when the stream is over; once
  void retire();  // the pipe is not touched after this

  // From any thread; none of these blocks.
  Sent send(Parcel parcel);
  void close(Goodbye goodbye, Duration drain = Duration::zero());
  void watch(Clock::time_point now);
  std::size_t queued_bytes() const;
  std::size_t queued_bytes_of(int sender) const;
  // Why it ended, as far as is known here; empty reason: the stream broke.
  Goodbye ending() const;

  // True when a parcel of `size` bytes fits, false when the session is over or the time is up.
  bool wait_for_room(std::size_t size, Clock::time_point deadline);

 private:
  void read_all();
  void heed(IncomingFrame& frame);
  void take_chunk(IncomingFrame& frame);
  void take_goodbye(const Goodbye& goodbye);
  void note_heard(FrameKind kind);

  void write_all();
  std::optional<OutgoingFrame> next_frame();
  bool put(const OutgoingFrame& frame);

  // With mutex_ held.
  void hang_up(Goodbye ending);
  void give_up(std::string reason);

  Pipe& pipe_;
  const Limits limits_;
  Traffic& traffic_;
  const SessionEvents events_;
  Assembler assembler_;  // of the reading thread

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  enum class Phase { kRunning, kDraining, kHangingUp } phase_ = Phase::kRunning;
  bool retired_ = false;
  bool greeted_ = false;
  bool over_ = false;  // nothing more can be read
  Outbox outbox_;
  Goodbye ending_;
  Clock::time_point drain_by_, hang_up_by_;
  std::optional<Clock::time_point> began_, reading_since_, writing_since_;
};

}  // namespace fedvs::transport
