// A client's connection to the server, made again whenever it is lost: what comes over it, in
// order, what goes out, and for how long the server has been away.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "fedvs/deploy/client_folder.h"
#include "fedvs/net/transport/link.h"
#include "fedvs/party/letterboxes.h"
#include "fedvs/protocol/work.h"

namespace fedvs::party {

class Uplink {
 public:
  using Clock = std::chrono::steady_clock;
  struct Connected {
    std::uint64_t session;
  };
  struct Disconnected {
    std::string reason;
    bool refused;  // the server wants nothing to do with this client
  };
  struct Arrived {
    int from;
    transport::Bytes bytes;
  };
  using Event = std::variant<Connected, Disconnected, Arrived>;

  Uplink(const deploy::ClientFolder& self, transport::Limits limits);
  // `address`: another one than the roster's, if not empty.
  Status open(const deploy::ClientFolder& self, const std::string& address,
              std::size_t largest_parcel);
  void stop() { link_->stop(); }

  std::optional<Event> take(Clock::time_point until);  // the next one, or none by then
  // Both drop it where there is no connection, or another one than the last Connected was of: the
  // protocol starts anew with the next. Bulk waits until there is room.
  void send(int to, protocol::Lane lane, std::string envelope);
  void set_largest_parcel(std::size_t bytes) { link_->set_largest_parcel(bytes); }
  // Few enough bytes wait that rows may join them, and models and uploads made later go out soon.
  bool has_room_for_rows();

  double away() const;           // seconds without the server
  std::string why_away() const;  // for people
  // Of what cannot be read, which anybody can send: of one sender and over one connection the first
  // eight are logged, then the 16th, the 32nd ...
  void warn_about(int from, const std::string& text);

 private:
  void note(const Event& event);
  const std::string server_;
  const int clients_;
  const transport::Limits limits_;
  bool connected_ = false;
  std::uint64_t session_ = 0;
  Clock::time_point last_connected_ = Clock::now();
  std::string last_reason_ = "no answer yet";
  std::map<int, std::size_t> unread_;  // by sender: what could not be read of this connection's
  Letterboxes<Event> mail_{kAnyRoom};
  std::unique_ptr<transport::Link> link_;  // last: its events need the rest
};

}  // namespace fedvs::party
