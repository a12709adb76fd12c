// The hub without gRPC: who is connected, what is passed on to whom, and the counting.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "fedvs/net/transport/hub.h"
#include "fedvs/net/transport/session.h"
#include "fedvs/net/transport/watch.h"

namespace fedvs::transport {

class Switchboard {
 public:
  Switchboard(const Limits& limits, HubEvents events);

  // Serves one connection until it is over, with the events that go with it. False, and nothing
  // happens, after close_all().
  bool attend(int client, Pipe& pipe);

  void admit(int client, std::uint64_t session);
  // Session 0: whichever is present.
  bool send(int client, Lane lane, Bytes bytes, std::uint64_t session = 0);
  void close(int client, Goodbye goodbye, std::uint64_t session = 0);
  void close_all(const Goodbye& goodbye, Duration drain);
  void set_largest_parcel(std::size_t bytes) { largest_parcel_ = bytes; }
  std::map<int, ClientStats> stats() const;

 private:
  struct Seat {
    std::shared_ptr<Session> session;  // none: not connected
    bool admitted = false;
    std::uint64_t replaced = 0;  // connections, by newer ones
    Traffic traffic;
    ClientStats counted;
  };
  struct Seated {
    std::shared_ptr<Session> session;
    std::uint64_t number = 0;
  };
  Seated take_seat(int client, Pipe& pipe);
  void leave_seat(int client, std::uint64_t number);
  Status receive(int client, std::uint64_t number, Parcel parcel);
  Status relay(int client, std::uint64_t number, Parcel parcel);
  std::size_t room_of_one() const;  // bytes
  void count_relayed(int from, int to, std::size_t size, bool queued);
  std::shared_ptr<Session> session_of(int client, std::uint64_t number) const;
  std::shared_ptr<Session> admitted_session_of(int client) const;
  bool is_admitted(int client, std::uint64_t number) const;

  const Limits limits_;
  const HubEvents events_;
  std::atomic<std::size_t> largest_parcel_;
  mutable std::mutex mutex_;
  std::map<int, Seat> seats_;
  std::uint64_t sessions_ = 0;
  bool closed_ = false;
  Watch watch_;  // last, so that it ends before what it looks at
};

}  // namespace fedvs::transport
