// A client's end: one connection out to the server, made again whenever it is lost.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/net/transport/limits.h"
#include "fedvs/net/transport/parcel.h"
#include "fedvs/net/transport/tls.h"

namespace fedvs::transport {

// Called by the link's thread, one at a time. A call that takes longer than limits.silent_after
// loses the connection: queue what takes long. All of the link but stop() may be called from here.
struct LinkEvents {
  // The server knows us. `session` counts connections from 1.
  std::function<void(std::uint64_t session)> on_connected;
  std::function<void(int from, Bytes bytes)> on_parcel;  // from kServer or another client
  // A session is over, or an attempt to begin one failed. `refused`: the server does not want this
  // client, and says why; otherwise it cannot be reached, or went away. The link tries again either
  // way, until stop().
  std::function<void(const std::string& reason, bool refused)> on_disconnected;
};

struct LinkOptions {
  std::string address;  // "host:port"
  int self = 0;         // this client's number; the server checks it
  Tls tls;
  std::string server_name;  // that the server's certificate must carry; empty: the host of address
  LinkEvents events;
  Limits limits;
};

class Link {
 public:
  // Begins to connect, and returns at once. kBadFile: the certificates cannot be used.
  static Result<std::unique_ptr<Link>> open(LinkOptions options);
  ~Link();  // stop()

  // Never blocks. False, and the parcel is dropped: not connected, limits.queue_bytes wait, or
  // `session` is named and is not the present one. What is queued when a session ends is dropped as
  // well.
  bool send(int to, Lane lane, Bytes bytes, std::uint64_t session = 0);
  // Until a parcel of `size` bytes can be queued; false: not connected any more, or the time is up.
  bool wait_for_room(std::size_t size, Clock::time_point deadline);
  void set_largest_parcel(std::size_t bytes);  // of parcels that begin from now on

  // Sends what is queued for at most `drain`, says goodbye, and ends within limits.goodbye_within
  // more. No event comes after it. Not from an event.
  void stop(Duration drain = Duration(2'000));

 private:
  struct Impl;
  explicit Link(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedvs::transport
