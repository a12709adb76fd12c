#include "tests/net/transport/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "fedvs/base/public_random.h"

namespace fedvs::transport::testing {

void Diary::add(Event event) {
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  added_.notify_all();
}

bool Diary::wait(const std::function<bool(const std::vector<Event>&)>& holds) const {
  std::unique_lock lock(mutex_);
  return added_.wait_for(lock, kPatience, [&] { return holds(events_); });
}

Event Diary::get(Event::Kind kind, std::size_t index, std::optional<int> party) const {
  Event found{};
  const bool came = wait([&](const std::vector<Event>& events) {
    std::size_t seen = 0;
    for (const Event& event : events) {
      if (event.kind != kind || (party && event.party != *party) || seen++ != index) continue;
      found = event;
      return true;
    }
    return false;
  });
  FEDVS_CHECK(came, fmt::format("event {} of kind {} did not come", index, int(kind)));
  return found;
}

std::vector<Event> Diary::all() const {
  std::lock_guard lock(mutex_);
  return events_;
}

std::size_t Diary::count(Event::Kind kind) const {
  const auto events = all();
  return static_cast<std::size_t>(
      std::count_if(events.begin(), events.end(), [=](const Event& e) { return e.kind == kind; }));
}

Network::Network(Limits limits) : limits_(limits), hub_tls_(authority_.issue("server")) {
  start_hub();
}

Network::~Network() {
  links_.clear();
  hub_.reset();
}

Hub& Network::start_hub(int port) {
  HubOptions options;
  options.address = fmt::format("127.0.0.1:{}", port);
  options.tls = hub_tls_;
  options.limits = limits_;
  options.identify = [](const std::string& certificate) -> Result<int> {
    const std::string name = common_name_of(certificate);
    if (name.starts_with("client ")) return std::stoi(name.substr(7));
    return Error{ErrorCode::kRefused, fmt::format("'{}' is not in the roster", name)};
  };
  options.events.on_connected = [this](int client, std::uint64_t session) {
    hub_diary_.add({Event::kConnected, client, session, {}, false});
  };
  options.events.on_parcel = [this](int client, std::uint64_t session, const Bytes& bytes) {
    on_parcel(client, bytes);
    hub_diary_.add({Event::kParcel, client, session, *bytes, false});
  };
  options.events.on_disconnected = [this](int client, std::uint64_t session,
                                          const std::string& reason) {
    hub_diary_.add({Event::kDisconnected, client, session, reason, false});
  };
  hub_ = Hub::listen(std::move(options)).value();
  port_ = hub_->port();
  return *hub_;
}

void Network::stop_hub() { hub_.reset(); }

LinkOptions Network::link_options(int client, std::optional<Tls> tls) {
  LinkOptions options;
  options.address = address();
  options.self = client;
  options.tls = tls ? *tls : authority_.issue(fmt::format("client {}", client));
  options.limits = limits_;
  return options;
}

Link& Network::add_link(int client, std::optional<Tls> tls, std::optional<Limits> limits) {
  LinkOptions options = link_options(client, std::move(tls));
  if (limits) options.limits = *limits;
  auto diary = std::make_unique<Diary>();
  options.events.on_connected = [d = diary.get()](std::uint64_t session) {
    d->add({Event::kConnected, kServer, session, {}, false});
  };
  options.events.on_parcel = [d = diary.get()](int from, const Bytes& bytes) {
    d->add({Event::kParcel, from, 0, *bytes, false});
  };
  options.events.on_disconnected = [d = diary.get()](const std::string& reason, bool refused) {
    d->add({Event::kDisconnected, kServer, 0, reason, refused});
  };
  auto link = Link::open(std::move(options)).value();
  links_.push_back({std::move(diary), std::move(link)});
  return *links_.back().link;
}

Link& Network::add_connected(int client) {
  Link& link = add_link(client);
  at(link).get(Event::kConnected);
  hub_->admit(client, hub_->stats().at(client).session);
  return link;
}

void Network::stop_link(Link& link) {
  std::erase_if(links_, [&](const Party& party) { return party.link.get() == &link; });
}

const Diary& Network::at(const Link& link) const {
  const auto party = std::find_if(links_.begin(), links_.end(),
                                  [&](const Party& p) { return p.link.get() == &link; });
  FEDVS_CHECK(party != links_.end(), "a link of this network");
  return *party->diary;
}

std::string random_bytes(std::size_t size, std::uint64_t seed) {
  PublicRandom random(seed);
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random.next_u64();
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, size - at));
  }
  return bytes;
}

}  // namespace fedvs::transport::testing
