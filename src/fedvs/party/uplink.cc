#include "fedvs/party/uplink.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/party/outgoing.h"

namespace fedvs::party {
namespace {

using protocol::kServer;

constexpr int kOnlyBox = 0;                               // all events in one order
constexpr std::size_t kBulkRoom = std::size_t{32} << 20;  // bytes free in the link's queue
constexpr std::size_t kRowsAhead = std::size_t{4} << 20;  // bytes in it, or models wait for long

}  // namespace

Uplink::Uplink(const deploy::ClientFolder& self, transport::Limits limits)
    : server_(self.roster.server.text()),
      clients_(static_cast<int>(self.roster.clients.size())),
      limits_(limits) {}

Status Uplink::open(const deploy::ClientFolder& self, const std::string& address,
                    std::size_t largest_parcel) {
  const auto post = [this](Event event) { mail_.post(kOnlyBox, std::move(event), 0); };
  transport::LinkOptions link{
      .address = address.empty() ? server_ : address,
      .self = self.number,
      .tls = {.ca_pem = self.authority_pem,
              .certificate_pem = self.certificate_pem,
              .key_pem = std::string(self.tls_key_pem.view())},
      .server_name = address.empty() ? "" : self.roster.server.host,
      .events = {.on_connected = [post](std::uint64_t session) { post(Connected{session}); },
                 .on_parcel =
                     [post](int from, transport::Bytes bytes) {
                       post(Arrived{from, std::move(bytes)});
                     },
                 .on_disconnected =
                     [post](const std::string& reason, bool refused) {
                       post(Disconnected{reason, refused});
                     }},
      .limits = limits_};
  link.limits.largest_parcel = largest_parcel;
  FEDVS_TRY(link_, transport::Link::open(std::move(link)));
  return {};
}

std::optional<Uplink::Event> Uplink::take(Clock::time_point until) {
  auto event = mail_.take(until);
  if (event) note(*event);
  return event;
}

void Uplink::note(const Event& event) {
  if (const auto* connected = std::get_if<Connected>(&event)) {
    connected_ = true;
    session_ = connected->session;
    unread_.clear();
    log::info("connected to {}", server_);
  }
  if (const auto* gone = std::get_if<Disconnected>(&event)) {
    if (std::exchange(connected_, false)) last_connected_ = Clock::now();
    const bool is_new = std::exchange(last_reason_, gone->reason) != gone->reason;
    if (is_new && !gone->refused) log::warning("not connected: {}; trying again", gone->reason);
  }
}

void Uplink::send(int to, protocol::Lane lane, std::string envelope) {
  if (!connected_) return;
  if (lane == protocol::Lane::kBulk) {
    link_->wait_for_room(envelope.size(), Clock::now() + limits_.silent_after);
  }
  // Not over a connection that was made meanwhile: it begins with the introduction.
  link_->send(to, lane_of(lane), transport::share(std::move(envelope)), session_);
}

// No more than kRowsAhead bytes, or half of a smaller queue, wait; and kBulkRoom is free.
bool Uplink::has_room_for_rows() {
  const std::size_t all = limits_.queue_bytes;
  const std::size_t free = std::max(all - std::min(all / 2, kRowsAhead), kBulkRoom);
  return link_->wait_for_room(free, Clock::now());
}

double Uplink::away() const {
  if (connected_) return 0;
  return std::chrono::duration<double>(Clock::now() - last_connected_).count();
}

std::string Uplink::why_away() const {
  return fmt::format("the server at {} has not answered for {:.0f} s: {}", server_, away(),
                     last_reason_);
}

void Uplink::warn_about(int from, const std::string& text) {
  constexpr std::size_t kFirst = 8;
  const std::size_t times = ++unread_[from < clients_ ? std::max(from, kServer) : kServer];
  if (times > kFirst && (times & (times - 1)) != 0) return;
  log::warning("{}{}", text, times > kFirst ? fmt::format(" ({} like this)", times) : "");
}

}  // namespace fedvs::party
