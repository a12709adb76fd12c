#include "fedvs/net/transport/dialler.h"

#include <fmt/format.h>

#include <utility>

namespace fedvs::transport {

Dialler::Dialler(int self, const Limits& limits, LinkEvents events, Dial dial)
    : self_(self),
      limits_(limits),
      events_(std::move(events)),
      dial_(std::move(dial)),
      largest_parcel_(limits.largest_parcel),
      watch_(limits),
      thread_([this] { keep_connected(); }) {}

Dialler::~Dialler() { stop(Duration::zero()); }

void Dialler::keep_connected() {
  Backoff backoff(limits_.first_retry, limits_.last_retry);
  Duration wait;
  do {
    const auto began = Clock::now();
    const Goodbye ending = attend_once();
    events_.on_disconnected(ending.reason, ending.refused);
    // A server that lets us in and drops us at once is not there yet.
    if (Clock::now() - began > limits_.silent_after) backoff.reset();
    wait = ending.refused ? backoff.jittered(limits_.refused_retry) : backoff.next();
  } while (pause(wait));
}

Goodbye Dialler::attend_once() {
  const auto call = dial_();
  SessionEvents events;
  events.parcel = [this](Parcel parcel) { return receive(std::move(parcel)); };
  events.greeted = [this] {
    std::uint64_t number;
    {
      std::lock_guard lock(mutex_);
      greeted_ = true;
      number = ++sessions_;
    }
    events_.on_connected(number);
  };
  const auto session =
      std::make_shared<Session>(*call, limits_, largest_parcel_, traffic_, std::move(events));
  if (!begin(session)) return {"stopped"};
  session->run();
  const Goodbye told = call->finish();
  session->retire();
  begin(nullptr);
  const Goodbye ending = session->ending();
  if (!ending.reason.empty()) return ending;
  return told.reason.empty() ? Goodbye{"the server ended the connection"} : told;
}

bool Dialler::begin(std::shared_ptr<Session> session) {
  std::lock_guard lock(mutex_);
  greeted_ = false;
  session_ = std::move(session);
  if (session_) watch_.add(session_);
  return !stop_;
}

bool Dialler::pause(Duration time) {
  std::unique_lock lock(mutex_);
  return !stopped_.wait_for(lock, time, [this] { return stop_; });
}

Status Dialler::receive(Parcel parcel) {
  if (parcel.to != self_) {
    return Error{ErrorCode::kRefused,
                 fmt::format("a parcel for client {} came to client {}", parcel.to, self_)};
  }
  events_.on_parcel(parcel.from, std::move(parcel.bytes));
  return {};
}

std::shared_ptr<Session> Dialler::greeted_session(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return greeted_ && (number == 0 || number == sessions_) ? session_ : nullptr;
}

bool Dialler::send(int to, Lane lane, Bytes bytes, std::uint64_t session) {
  const auto present = greeted_session(session);
  if (!present) return false;
  return present->send({.from = self_, .to = to, .lane = lane, .bytes = std::move(bytes)}) ==
         Sent::kQueued;
}

bool Dialler::wait_for_room(std::size_t size, Clock::time_point deadline) {
  const auto session = greeted_session();
  return session && session->wait_for_room(size, deadline);
}

void Dialler::stop(Duration drain) {
  FEDVS_CHECK(std::this_thread::get_id() != thread_.get_id(), "a link is not stopped by an event");
  {
    std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = true;
    if (session_) session_->close({"stopped"}, greeted_ ? drain : Duration::zero());
  }
  stopped_.notify_all();
  thread_.join();
}

}  // namespace fedvs::transport
