#include "fedvs/net/transport/session.h"

#include <fmt/format.h>

#include <thread>
#include <utility>

namespace fedvs::transport {
namespace {

// Large: not what is said about bulk, but bulk.
bool is_bulk(const ChunkHead& head) {
  constexpr std::size_t kLarge = 4096;
  return head.lane == static_cast<std::uint32_t>(Lane::kBulk) && head.total >= kLarge;
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Session::Session(Pipe& pipe, const Limits& limits, const std::atomic<std::size_t>& largest_parcel,
                 Traffic& traffic, SessionEvents events)
    : pipe_(pipe),
      limits_(limits),
      traffic_(traffic),
      events_(std::move(events)),
      assembler_(largest_parcel),
      outbox_(limits.queue_bytes) {}

void Session::run() {
  {
    std::lock_guard lock(mutex_);
    began_ = Clock::now();
  }
  pipe_.open();
  std::thread writer([this] { write_all(); });
  read_all();
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    if (phase_ != Phase::kHangingUp) hang_up(std::exchange(ending_, {}));
  }
  changed_.notify_all();
  writer.join();
}

void Session::retire() {
  std::lock_guard lock(mutex_);
  retired_ = true;
}

// ---- reading

void Session::read_all() {
  const auto since = [this](std::optional<Clock::time_point> time) {
    std::lock_guard lock(mutex_);
    reading_since_ = time;
  };
  IncomingFrame frame;
  while (true) {
    since(Clock::now());  // silence is counted only while somebody listens
    if (!pipe_.read(frame)) break;
    since(std::nullopt);
    note_heard(frame.kind);
    heed(frame);
  }
  since(std::nullopt);
}

void Session::note_heard(FrameKind kind) {
  traffic_.last_heard = Clock::now();
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(greeted_, true)) return;
  }
  if (kind != FrameKind::kGoodbye) events_.greeted();
}

void Session::heed(IncomingFrame& frame) {
  {
    std::lock_guard lock(mutex_);
    if (phase_ == Phase::kHangingUp) return;
    if (phase_ == Phase::kDraining && frame.kind != FrameKind::kGoodbye) return;
  }
  switch (frame.kind) {
    case FrameKind::kChunk:
      return take_chunk(frame);
    case FrameKind::kGoodbye:
      return take_goodbye(frame.goodbye);
    case FrameKind::kHeartbeat:
      return;
    case FrameKind::kUnknown:
      return close({"a frame of a kind that is not known here; use the same version of fedvs"});
  }
}

void Session::take_chunk(IncomingFrame& frame) {
  traffic_.bytes_in += frame.payload.size();
  if (is_bulk(frame.head)) traffic_.bulk_bytes += frame.payload.size();
  auto parcel = assembler_.add(frame.head, std::move(frame.payload));
  if (!parcel) return close({parcel.error().message});
  if (!parcel->has_value()) return;
  ++traffic_.parcels_in;
  if (auto taken = events_.parcel(std::move(**parcel)); !taken) close({taken.error().message});
}

void Session::take_goodbye(const Goodbye& goodbye) {
  {
    std::lock_guard lock(mutex_);
    const bool ours_first = phase_ == Phase::kDraining;
    hang_up(ours_first ? ending_ : Goodbye{printable(goodbye.reason), goodbye.refused});
  }
  changed_.notify_all();
}

// ---- writing

void Session::write_all() {
  if (put({})) {  // a heartbeat at once: the peer learns that it is heard
    while (auto frame = next_frame()) {
      if (!put(*frame)) return;
    }
  }
  pipe_.writes_done();
}

bool Session::put(const OutgoingFrame& frame) {
  const auto since = [this](std::optional<Clock::time_point> time) {
    std::lock_guard lock(mutex_);
    writing_since_ = time;
  };
  since(Clock::now());
  const bool written = pipe_.write(frame);
  since(std::nullopt);
  if (!written || frame.kind != FrameKind::kChunk) return written;
  traffic_.bytes_out += frame.size;
  if (is_bulk(frame.head)) traffic_.bulk_bytes += frame.size;
  if (frame.head.offset + frame.size == frame.head.total) ++traffic_.parcels_out;
  changed_.notify_all();  // there is room
  return true;
}

// None: the peer has said goodbye, or we have.
std::optional<OutgoingFrame> Session::next_frame() {
  std::unique_lock lock(mutex_);
  const auto something = [this] { return phase_ != Phase::kRunning || !outbox_.empty(); };
  if (!changed_.wait_for(lock, limits_.heartbeat, something)) return OutgoingFrame{};
  if (phase_ == Phase::kHangingUp) return std::nullopt;
  if (phase_ == Phase::kRunning || Clock::now() < drain_by_) {
    if (auto chunk = outbox_.next()) {
      chunk->more = !outbox_.empty();
      return chunk;
    }
  }
  OutgoingFrame goodbye;
  goodbye.kind = FrameKind::kGoodbye;
  goodbye.goodbye = ending_;
  hang_up(std::exchange(ending_, {}));
  return goodbye;
}

// ---- ending

void Session::hang_up(Goodbye ending) {
  phase_ = Phase::kHangingUp;
  ending_ = std::move(ending);
  outbox_.clear();
  hang_up_by_ = Clock::now() + limits_.goodbye_within;
}

void Session::give_up(std::string reason) {
  hang_up({std::move(reason)});
  pipe_.cancel();
  changed_.notify_all();
}

void Session::close(Goodbye goodbye, Duration drain) {
  {
    std::lock_guard lock(mutex_);
    if (phase_ != Phase::kRunning) return;
    phase_ = Phase::kDraining;
    ending_ = std::move(goodbye);
    if (drain == Duration::zero()) outbox_.clear();
    drain_by_ = Clock::now() + drain;
    hang_up_by_ = drain_by_ + limits_.goodbye_within;
  }
  changed_.notify_all();
}

void Session::watch(Clock::time_point now) {
  std::lock_guard lock(mutex_);
  if (retired_ || !began_) return;
  const auto exceeds = [now](const auto& since, Duration limit) {
    return since && now - *since > limit;
  };
  if (phase_ != Phase::kRunning) {
    if (now >= hang_up_by_) pipe_.cancel();
  } else if (!greeted_ && exceeds(began_, limits_.connect_within)) {
    give_up(fmt::format("no answer within {} s", seconds(limits_.connect_within)));
  } else if (greeted_ && exceeds(reading_since_, limits_.silent_after)) {
    give_up(fmt::format("silent for {} s", seconds(limits_.silent_after)));
  } else if (exceeds(writing_since_, limits_.silent_after)) {
    give_up(fmt::format("has not read for {} s", seconds(limits_.silent_after)));
  }
}

Goodbye Session::ending() const {
  std::lock_guard lock(mutex_);
  return ending_;
}

// ---- what waits to be sent

Sent Session::send(Parcel parcel) {
  {
    std::lock_guard lock(mutex_);
    if (phase_ != Phase::kRunning || over_) return Sent::kOver;
    if (!outbox_.has_room(parcel.bytes->size())) return Sent::kFull;
    outbox_.push(std::move(parcel));
  }
  changed_.notify_all();
  return Sent::kQueued;
}

std::size_t Session::queued_bytes() const {
  std::lock_guard lock(mutex_);
  return outbox_.bytes();
}

std::size_t Session::queued_bytes_of(int sender) const {
  std::lock_guard lock(mutex_);
  return outbox_.bytes_of(sender);
}

bool Session::wait_for_room(std::size_t size, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  const auto settled = [&] { return phase_ != Phase::kRunning || outbox_.has_room(size); };
  changed_.wait_until(lock, deadline, settled);
  return phase_ == Phase::kRunning && outbox_.has_room(size);
}

}  // namespace fedvs::transport
