// A hub and links on the loopback, which remember what they were told. Certificates carry the
// client's number as common name. Waiting is for conditions, never for time.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/net/transport/hub.h"
#include "fedvs/net/transport/link.h"
#include "tests/net/transport/certificates.h"

namespace fedvs::transport::testing {

inline constexpr std::chrono::seconds kPatience{60};

struct Event {
  enum Kind { kConnected, kParcel, kDisconnected } kind;
  int party = kServer;        // client, or sender
  std::uint64_t session = 0;  // where it is known
  std::string text;           // the parcel or the reason
  bool refused = false;
};

// What happened, in order.
class Diary {
 public:
  void add(Event event);
  // Whether `holds` of what happened so far comes true in time.
  bool wait(const std::function<bool(const std::vector<Event>&)>& holds) const;
  // The index-th event of its kind (and of that party, if it is named); FEDVS_CHECK that it comes.
  Event get(Event::Kind kind, std::size_t index = 0, std::optional<int> party = {}) const;
  std::vector<Event> all() const;
  std::size_t count(Event::Kind kind) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable added_;
  std::vector<Event> events_;
};

class Network {
 public:
  explicit Network(Limits limits = {});  // without heartbeats that a test could wait for
  ~Network();

  Hub& start_hub(int port = 0);  // at the port it had before, for instance
  void stop_hub();
  Link& add_link(int client, std::optional<Tls> tls = {}, std::optional<Limits> limits = {});
  // Connected, and admitted to send to others.
  Link& add_connected(int client);
  LinkOptions link_options(int client, std::optional<Tls> tls = {});
  void stop_link(Link& link);

  const Authority& authority() const { return authority_; }
  Hub& hub() { return *hub_; }
  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  const Diary& at_hub() const { return hub_diary_; }
  const Diary& at(const Link& link) const;

  // What the hub does with a parcel besides writing it down.
  std::function<void(int client, Bytes bytes)> on_parcel = [](int, const Bytes&) {};

 private:
  struct Party {
    std::unique_ptr<Diary> diary;
    std::unique_ptr<Link> link;
  };
  Limits limits_;
  Authority authority_{"the authority"};
  Tls hub_tls_;
  int port_ = 0;
  Diary hub_diary_;
  std::vector<Party> links_;
  std::unique_ptr<Hub> hub_;
};

std::string random_bytes(std::size_t size, std::uint64_t seed = 1);

}  // namespace fedvs::transport::testing
