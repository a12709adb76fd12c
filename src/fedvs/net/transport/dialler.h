// The link without gRPC: connects, runs the session, waits, connects again, on a thread of its own.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "fedvs/net/transport/backoff.h"
#include "fedvs/net/transport/link.h"
#include "fedvs/net/transport/session.h"
#include "fedvs/net/transport/watch.h"

namespace fedvs::transport {

// A pipe for one attempt to connect, which also says how the call ended, once reading is over.
class Call : public Pipe {
 public:
  virtual Goodbye finish() = 0;  // may block until cancelled; an empty reason: in order
};

class Dialler {
 public:
  using Dial = std::function<std::unique_ptr<Call>()>;
  Dialler(int self, const Limits& limits, LinkEvents events, Dial dial);
  ~Dialler();

  bool send(int to, Lane lane, Bytes bytes, std::uint64_t session = 0);  // as Link::send
  bool wait_for_room(std::size_t size, Clock::time_point deadline);
  void set_largest_parcel(std::size_t bytes) { largest_parcel_ = bytes; }
  void stop(Duration drain);

 private:
  void keep_connected();
  Goodbye attend_once();
  Status receive(Parcel parcel);
  std::shared_ptr<Session> greeted_session(std::uint64_t number = 0) const;  // 0: any
  bool begin(std::shared_ptr<Session> session);  // false: stopped meanwhile
  bool pause(Duration time);                     // false: stopped meanwhile

  const int self_;
  const Limits limits_;
  const LinkEvents events_;
  const Dial dial_;
  std::atomic<std::size_t> largest_parcel_;
  Traffic traffic_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  bool greeted_ = false;
  std::uint64_t sessions_ = 0;
  std::shared_ptr<Session> session_;
  Watch watch_;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace fedvs::transport
