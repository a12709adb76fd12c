// Both ends of a stream in memory, with room for a few frames, as flow control has.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "fedvs/net/transport/dialler.h"

namespace fedvs::transport::testing {

// One direction.
class Conduit {
 public:
  bool put(const OutgoingFrame& frame) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return broken_ || frames_.size() < kRoom; });
    if (broken_) return false;
    frames_.push_back({.kind = frame.kind,
                       .head = frame.head,
                       .payload = frame.bytes ? frame.bytes->substr(frame.head.offset, frame.size)
                                              : std::string(),
                       .goodbye = frame.goodbye});
    changed_.notify_all();
    return true;
  }
  bool take(IncomingFrame& into) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return broken_ || ended_ || !frames_.empty(); });
    if (broken_ || frames_.empty()) return false;
    into = std::move(frames_.front());
    frames_.pop_front();
    changed_.notify_all();
    return true;
  }
  void end(bool broken) {  // or else after what was put
    std::lock_guard lock(mutex_);
    ended_ = true;
    broken_ = broken_ || broken;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kRoom = 4;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<IncomingFrame> frames_;
  bool ended_ = false, broken_ = false;
};

class MemoryPipe final : public Call {
 public:
  MemoryPipe(std::shared_ptr<Conduit> in, std::shared_ptr<Conduit> out)
      : in_(std::move(in)), out_(std::move(out)) {}
  ~MemoryPipe() override { out_->end(/*broken=*/false); }
  void open() override {}
  bool read(IncomingFrame& into) override { return in_->take(into); }
  bool write(const OutgoingFrame& frame) override { return out_->put(frame); }
  void writes_done() override { out_->end(/*broken=*/false); }
  void cancel() override {
    in_->end(/*broken=*/true);
    out_->end(/*broken=*/true);
  }
  Goodbye finish() override { return {}; }

 private:
  std::shared_ptr<Conduit> in_, out_;
};

}  // namespace fedvs::transport::testing
