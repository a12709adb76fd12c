// The server's connections: what comes over them, from one client after the other, and what goes
// out. Of a connection that another one has replaced nothing is passed on, and nothing is sent over
// one that was made since the last event: it begins with the introduction and the terms.
#pragma once
#include <optional>
#include <string>
#include <variant>

#include "fedvs/deploy/server_folder.h"
#include "fedvs/drive/outbox.h"
#include "fedvs/net/transport/hub.h"
#include "fedvs/party/letterboxes.h"
#include "fedvs/party/seats.h"

namespace fedvs::party {

class Reception final : public drive::Outbox {
 public:
  using Clock = std::chrono::steady_clock;
  // Of one client, waiting to be read: never more than this.
  static constexpr BoxRoom kRoomOfOne{.events = 1024, .bytes = std::size_t{64} << 20};
  struct Connected {
    int client;
    std::uint64_t session;
  };
  struct Disconnected {
    int client;
    std::uint64_t session;
    std::string reason;
  };
  struct Arrived {
    int client;
    std::uint64_t session;
    transport::Bytes bytes;
  };
  using Event = std::variant<Connected, Disconnected, Arrived>;

  explicit Reception(int clients) : seats_(clients) {}
  ~Reception() override { mail_.close(); }
  // `address`: another one than the roster's, if not empty.
  Status open(const deploy::ServerFolder& self, const std::string& address,
              transport::Limits limits, std::size_t largest_parcel);
  void close(transport::Duration drain);  // no event comes after it
  int port() const { return hub_->port(); }
  void set_largest_parcel(std::size_t bytes) { hub_->set_largest_parcel(bytes); }

  // The next one, or none by then; its seat is as after it.
  std::optional<Event> take(Clock::time_point until);
  // To a client that has been greeted; nothing else may be said to others than by tell().
  void send(int to, protocol::Lane lane, const protocol::MessagePtr& message) override;
  void tell(int client, const std::string& envelope,
            transport::Lane lane = transport::Lane::kControl);
  // The client is told why, and if `refused` not to come again by itself.
  void put_out(int client, const std::string& reason, bool refused = true);
  // It has said hello, and knows how large parcels may be: it may hear from other clients now.
  void greet(int client);

  Seats& seats() { return seats_; }
  const Seats& seats() const { return seats_; }
  std::map<int, transport::ClientStats> stats() const;         // empty before it is open
  std::size_t most_waited() const { return mail_.fullest(); }  // events of one client, so far

 private:
  bool heed(const Event& event);
  Seats seats_;
  protocol::MessagePtr said_;  // what was sent last, perhaps to others next, and its bytes
  transport::Bytes said_bytes_;
  Letterboxes<Event> mail_{kRoomOfOne};
  std::unique_ptr<transport::Hub> hub_;  // last: its events need the rest
};

}  // namespace fedvs::party
