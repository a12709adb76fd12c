#include "fedvs/party/reception.h"

#include <ctime>

#include "fedvs/party/outgoing.h"

namespace fedvs::party {

Status Reception::open(const deploy::ServerFolder& self, const std::string& address,
                       transport::Limits limits, std::size_t largest_parcel) {
  limits.largest_parcel = largest_parcel;
  transport::HubEvents events{.on_connected =
                                  [this](int c, std::uint64_t s) {
                                    mail_.post(c, Connected{c, s}, 0);
                                  },
                              .on_parcel =
                                  [this](int c, std::uint64_t s, transport::Bytes bytes) {
                                    const std::size_t size = bytes->size();
                                    mail_.post(c, Arrived{c, s, std::move(bytes)}, size);
                                  },
                              .on_disconnected =
                                  [this](int c, std::uint64_t s, const std::string& reason) {
                                    mail_.post(c, Disconnected{c, s, reason}, reason.size());
                                  }};
  FEDVS_TRY(hub_, transport::Hub::listen(
                      {.address = address.empty() ? self.roster.server.text() : address,
                       .tls = {.ca_pem = self.authority_pem,
                               .certificate_pem = self.certificate_pem,
                               .key_pem = std::string(self.key_pem.view())},
                       .identify =
                           [&roster = self.roster](const std::string& pem) {
                             return deploy::identify(roster, pem, std::time(nullptr));
                           },
                       .events = std::move(events),
                       .limits = limits}));
  return {};
}

void Reception::close(transport::Duration drain) {
  mail_.close();
  hub_->shutdown(drain);
}

std::optional<Reception::Event> Reception::take(Clock::time_point until) {
  auto event = mail_.take(until);
  return event && heed(*event) ? std::move(event) : std::nullopt;
}

// False: of a connection that was replaced, or given up.
bool Reception::heed(const Event& event) {
  if (const auto* connected = std::get_if<Connected>(&event)) {
    return seats_.connect(connected->client, connected->session);
  }
  if (const auto* gone = std::get_if<Disconnected>(&event)) {
    const bool present = seats_.is_present(gone->client, gone->session);
    if (present) seats_.leave(gone->client);
    return present;
  }
  const auto& arrived = std::get<Arrived>(event);
  return seats_.is_present(arrived.client, arrived.session);
}

void Reception::send(int to, protocol::Lane lane, const protocol::MessagePtr& message) {
  if (seats_.stage(to) != Stage::kGreeted) return;
  if (message != said_) {
    said_bytes_ = transport::share(in_the_open(*message));
    said_ = message;
  }
  hub_->send(to, lane_of(lane), said_bytes_, seats_.session(to));
}

void Reception::tell(int client, const std::string& envelope, transport::Lane lane) {
  hub_->send(client, lane, transport::share(std::string(envelope)), seats_.session(client));
}

void Reception::put_out(int client, const std::string& reason, bool refused) {
  hub_->close(client, reason, refused, seats_.session(client));
  seats_.leave(client);
}

void Reception::greet(int client) {
  seats_.greet(client);
  hub_->admit(client, seats_.session(client));
}

std::map<int, transport::ClientStats> Reception::stats() const {
  return hub_ ? hub_->stats() : std::map<int, transport::ClientStats>();
}

}  // namespace fedvs::party
