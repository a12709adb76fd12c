// What comes and goes over a client's link to the server.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/client_party.h"
#include "fedvs/party/lanes.h"

namespace fedvs::party {
namespace {

using protocol::kServer;

constexpr std::size_t kMostUnopened = 256, kMostUnopenedBytes = std::size_t{64} << 20;

}  // namespace

// Before the agreement nothing is expected but terms.
wire::EnvelopeLimits ClientParty::envelope_limits() const {
  return {.parties = static_cast<int>(identity_.roster.clients.size()),
          .contents = agreement_ ? wire::largest_message(*agreement_) : 0};
}

Status ClientParty::connect() {
  const std::string address =
      options_.server.empty() ? identity_.roster.server.text() : options_.server;
  transport::LinkOptions link{
      .address = address,
      .self = identity_.number,
      .tls = {.ca_pem = identity_.authority_pem,
              .certificate_pem = identity_.certificate_pem,
              .key_pem = std::string(identity_.tls_key_pem.view())},
      .server_name = options_.server.empty() ? "" : identity_.roster.server.host,
      .events = {
          .on_connected = [this](std::uint64_t session) { mailbox_.post(Connected{session}); },
          .on_parcel =
              [this](int from, transport::Bytes bytes) {
                mailbox_.post(Arrived{from, std::move(bytes)});
              },
          .on_disconnected =
              [this](const std::string& reason, bool refused) {
                mailbox_.post(Disconnected{reason, refused});
              }},
      .limits = options_.limits};
  link.limits.largest_parcel = wire::largest_envelope(envelope_limits());
  FEDVS_TRY(link_, transport::Link::open(std::move(link)));
  return {};
}

Status ClientParty::on(const Connected& event) {
  connected_ = true;
  session_ = event.session;
  unread_.clear();
  log::info("connected to {}", identity_.roster.server.text());
  transmit(kServer, protocol::Lane::kControl,
           wire::encode(wire::Envelope(
               wire::Introduction{.job_digest = identity_.job_digest,
                                  .roster_digest = deploy::fingerprint(identity_.roster),
                                  .name = identity_.name,
                                  .features = static_cast<std::uint32_t>(features_),
                                  .rows = row_count_,
                                  .data_id = data_id_})));
  return {};
}

Status ClientParty::on(const Disconnected& gone) {
  if (std::exchange(connected_, false)) last_connected_ = Clock::now();
  if (gone.refused) return Error{ErrorCode::kRefused, "the server refuses: " + gone.reason};
  if (gone.reason != last_reason_) log::warning("not connected: {}; trying again", gone.reason);
  last_reason_ = gone.reason;
  if (driver_) driver_->forget_background();
  return {};
}

// What cannot be read is dropped with its reason: neither the server nor a client that sends
// nonsense can stop another one.
Status ClientParty::on(const Arrived& arrived) {
  auto envelope = wire::decode_envelope(envelope_limits(), *arrived.bytes);
  if (!envelope) {
    warn_about(arrived.from, "dropped a parcel: " + envelope.error().message);
    return {};
  }
  const bool sealed = std::holds_alternative<wire::Sealed>(*envelope);
  if (sealed != (arrived.from != kServer) ||
      (sealed && std::get<wire::Sealed>(*envelope).from != arrived.from)) {
    warn_about(arrived.from, "dropped a parcel that is not from whom it says");
    return {};
  }
  return std::visit([this](auto& e) { return take(std::move(e)); }, *envelope);
}

// Anybody can send what cannot be read. Of one sender and over one connection the first eight are
// written down, then the 16th, the 32nd ...
void ClientParty::warn_about(int from, const std::string& text) {
  constexpr std::size_t kFirst = 8;
  const int clients = static_cast<int>(identity_.roster.clients.size());
  const std::size_t times = ++unread_[from < clients ? std::max(from, kServer) : kServer];
  if (times > kFirst && (times & (times - 1)) != 0) return;
  log::warning("{}{}", text, times > kFirst ? fmt::format(" ({} like this)", times) : "");
}

// Tells the server before it ends: its operator should know why.
Status ClientParty::take(wire::RowsOffer&& offer) {
  const Status same = check(offer);
  transmit(kServer, protocol::Lane::kControl,
           wire::encode(wire::Envelope(wire::RowsAnswer{same.has_value()})));
  return same;
}

Status ClientParty::take(wire::Terms&& terms) {
  FEDVS_TRY_STATUS(state_.check(terms));
  if (client_ && terms != terms_) forget_run();
  terms_ = terms;
  if (!client_) FEDVS_TRY_STATUS(begin(terms));
  return std::exchange(said_hello_, true) ? driver_->come_back() : driver_->start();
}

Status ClientParty::take(wire::OpenMessage&& open) {
  if (!client_) return {};
  auto message = wire::decode(*agreement_, open.bytes);
  if (!message) {
    log::warning("dropped a message of the server: {}", message.error().message);
    return {};
  }
  if (protocol::sender_of(**message) != kServer) {
    log::warning("dropped a message of the server that says it is a client's");
    return {};
  }
  return receive(*message);
}

Status ClientParty::take(wire::Sealed&& sealed) {
  if (!client_) return {};
  auto message = post_.open(*agreement_, sealed);
  if (message) return receive(*message);
  warn_about(sealed.from, message.error().message);
  keep_unopened(std::move(sealed));
  return {};
}

// A sender that has just come back may be quicker than the welcome that says so. Bounded, since
// anybody can send what does not open.
void ClientParty::keep_unopened(wire::Sealed&& sealed) {
  const auto parties = identity_.roster.clients.size();
  const auto of_sender = [&](const wire::Sealed& other) { return other.from == sealed.from; };
  std::size_t count = 1, bytes = sealed.sealed.size();  // of this sender: its share of the room
  for (const auto& other : unopened_) {
    if (!of_sender(other)) continue;
    ++count;
    bytes += other.sealed.size();
  }
  const std::size_t most = std::max<std::size_t>(kMostUnopened / parties, 16);
  while (count > 1 && (count > most || bytes > kMostUnopenedBytes / parties)) {
    const auto oldest = std::ranges::find_if(unopened_, of_sender);
    --count;
    bytes -= oldest->sealed.size();
    unopened_.erase(oldest);
  }
  unopened_.push_back(std::move(sealed));
}

Status ClientParty::retry_unopened() {
  for (const auto& sealed : std::exchange(unopened_, {})) {
    if (auto message = post_.open(*agreement_, sealed)) FEDVS_TRY_STATUS(receive(*message));
  }
  return {};
}

void ClientParty::send(int to, protocol::Lane lane, const protocol::MessagePtr& message) {
  if (to == kServer) {
    return transmit(kServer, lane,
                    wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(*message)})));
  }
  // Of a life before, or to one: whoever needs it asks again.
  auto sealed = post_.seal(to, *message);
  if (!sealed) return log::debug("{}", sealed.error().message);
  transmit(to, lane, std::move(*sealed));
}

// A connection that is gone drops what it was given; so does the protocol, which starts anew with
// the next one.
void ClientParty::transmit(int to, protocol::Lane lane, std::string envelope) {
  if (!connected_) return;
  const std::size_t size = envelope.size();
  if (lane == protocol::Lane::kBulk) {
    link_->wait_for_room(size, Clock::now() + options_.limits.silent_after);
  }
  // Not over a connection that was made meanwhile: it begins with the introduction.
  link_->send(to, lane_of(lane), transport::share(std::move(envelope)), session_);
}

}  // namespace fedvs::party
