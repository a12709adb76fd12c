#include "fedvs/net/transport/switchboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fedvs/base/log.h"

namespace fedvs::transport {
namespace {

constexpr const char* kBroken = "the connection broke";

Goodbye overflow(const Limits& limits) {
  return {fmt::format("more than {} bytes wait to be sent: reads too slowly", limits.queue_bytes)};
}

Error refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

}  // namespace

Switchboard::Switchboard(const Limits& limits, HubEvents events)
    : limits_(limits),
      events_(std::move(events)),
      largest_parcel_(limits.largest_parcel),
      watch_(limits) {}

// ---- coming and going

bool Switchboard::attend(int client, Pipe& pipe) {
  const auto [session, number] = take_seat(client, pipe);
  if (!session) return false;
  events_.on_connected(client, number);
  session->run();
  session->retire();
  leave_seat(client, number);
  const std::string reason = session->ending().reason;
  events_.on_disconnected(client, number, reason.empty() ? kBroken : reason);
  return true;
}

Switchboard::Seated Switchboard::take_seat(int client, Pipe& pipe) {
  std::lock_guard lock(mutex_);
  if (closed_) return {};
  Seat& seat = seats_[client];
  if (seat.session) {
    const auto times = ++seat.replaced;
    if ((times & (times - 1)) == 0) {  // 1, 2, 4, 8 ...: it costs a client nothing
      log::warning("client {} connects again: its earlier connection is closed, {} so far", client,
                   times);
    }
    seat.session->close({"replaced: this client has connected again", /*refused=*/true});
  }
  const std::uint64_t number = ++sessions_;
  SessionEvents events;
  events.parcel = [=, this](Parcel parcel) { return receive(client, number, std::move(parcel)); };
  seat.session = std::make_shared<Session>(pipe, limits_, largest_parcel_, seat.traffic, events);
  seat.admitted = false;
  seat.traffic.last_heard = Clock::now();
  seat.counted.session = number;
  ++seat.counted.connects;
  watch_.add(seat.session);
  return {seat.session, number};
}

void Switchboard::leave_seat(int client, std::uint64_t number) {
  std::lock_guard lock(mutex_);
  Seat& seat = seats_[client];
  if (seat.counted.session == number) seat.session.reset();
}

void Switchboard::admit(int client, std::uint64_t session) {
  std::lock_guard lock(mutex_);
  const auto seat = seats_.find(client);
  if (seat == seats_.end() || seat->second.counted.session != session) return;
  seat->second.admitted = true;
}

void Switchboard::close(int client, Goodbye goodbye, std::uint64_t number) {
  if (const auto session = session_of(client, number)) session->close(std::move(goodbye));
}

void Switchboard::close_all(const Goodbye& goodbye, Duration drain) {
  std::lock_guard lock(mutex_);
  closed_ = true;
  for (auto& [client, seat] : seats_) {
    if (seat.session) seat.session->close(goodbye, drain);
  }
}

// ---- parcels

bool Switchboard::send(int client, Lane lane, Bytes bytes, std::uint64_t number) {
  Parcel parcel{.from = kServer, .to = client, .lane = lane, .bytes = std::move(bytes)};
  const auto session = session_of(client, number);
  if (!session) return false;
  const Sent sent = session->send(std::move(parcel));
  if (sent == Sent::kFull) session->close(overflow(limits_));
  return sent == Sent::kQueued;
}

Status Switchboard::receive(int client, std::uint64_t number, Parcel parcel) {
  if (parcel.from != client) {
    return refused(fmt::format("client {} sent a parcel as from {}", client, parcel.from));
  }
  if (parcel.to != kServer) return relay(client, number, std::move(parcel));
  events_.on_parcel(client, number, std::move(parcel.bytes));
  return {};
}

Status Switchboard::relay(int client, std::uint64_t number, Parcel parcel) {
  if (!is_admitted(client, number)) {
    return refused(fmt::format("client {} sent a parcel to client {} before it was admitted",
                               client, parcel.to));
  }
  const std::size_t size = parcel.bytes->size();
  const int to = parcel.to;
  const auto recipient = admitted_session_of(to);
  // What one sends too much of is dropped: no sender fills the queue of another client, which would
  // be closed for it.
  const bool too_much = recipient && recipient->queued_bytes_of(client) > room_of_one();
  const Sent sent = recipient && !too_much ? recipient->send(std::move(parcel)) : Sent::kOver;
  if (sent == Sent::kFull) recipient->close(overflow(limits_));
  count_relayed(client, to, size, sent == Sent::kQueued);
  return {};
}

// Of a client's queue, for what one other sends it: a quarter, or two of the largest parcels; never
// all of it.
std::size_t Switchboard::room_of_one() const {
  const std::size_t usual = std::max(limits_.queue_bytes / 4, 2 * largest_parcel_.load());
  return std::min(usual, limits_.queue_bytes / 4 * 3);
}

void Switchboard::count_relayed(int from, int to, std::size_t size, bool queued) {
  std::lock_guard lock(mutex_);
  // `to` may be any number that a peer makes up, so what is dropped is counted for the sender.
  ClientStats& counted = seats_[queued ? to : from].counted;
  ++(queued ? counted.relayed_parcels : counted.dropped_parcels);
  (queued ? counted.relayed_bytes : counted.dropped_bytes) += size;
}

std::shared_ptr<Session> Switchboard::session_of(int client, std::uint64_t number) const {
  std::lock_guard lock(mutex_);
  const auto seat = seats_.find(client);
  if (seat == seats_.end() || (number != 0 && seat->second.counted.session != number)) return {};
  return seat->second.session;
}

std::shared_ptr<Session> Switchboard::admitted_session_of(int client) const {
  std::lock_guard lock(mutex_);
  const auto seat = seats_.find(client);
  return seat == seats_.end() || !seat->second.admitted ? nullptr : seat->second.session;
}

bool Switchboard::is_admitted(int client, std::uint64_t number) const {
  std::lock_guard lock(mutex_);
  const auto seat = seats_.find(client);
  return seat != seats_.end() && seat->second.counted.session == number && seat->second.admitted;
}

std::map<int, ClientStats> Switchboard::stats() const {
  std::lock_guard lock(mutex_);
  std::map<int, ClientStats> all;
  for (const auto& [client, seat] : seats_) {
    ClientStats stats = seat.counted;
    stats.connected = seat.session != nullptr;
    stats.bytes_in = seat.traffic.bytes_in;
    stats.bytes_out = seat.traffic.bytes_out;
    stats.bulk_bytes = seat.traffic.bulk_bytes;
    stats.parcels_in = seat.traffic.parcels_in;
    stats.parcels_out = seat.traffic.parcels_out;
    if (seat.session) stats.queued_bytes = seat.session->queued_bytes();
    stats.since_heard = Clock::now() - seat.traffic.last_heard.load();
    all.emplace(client, stats);
  }
  return all;
}

}  // namespace fedvs::transport
