// The end of a run: everybody is told, and whoever lacks its last model may still come for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/net/wire/codec.h"
#include "fedvs/party/server_party.h"

namespace fedvs::party {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr auto kTurn = milliseconds(200);
constexpr auto kDrain = milliseconds(5'000);              // for who is here to hear it, and to save
constexpr auto kLongestDrain = std::chrono::minutes(10);  // for all of them; others: --linger

protocol::Ending ending_of(const Status& status) {
  if (status) return protocol::Ending::kFinished;
  if (status.error().code == ErrorCode::kStopped) return protocol::Ending::kStopped;
  return protocol::Ending::kFailed;
}

}  // namespace

std::vector<std::string> ServerParty::unsaved() const {
  std::vector<std::string> names;
  if (!server_ || !server_->done()) return names;
  for (int n : server_->unsaved()) names.push_back(name(n));
  return names;
}

bool ServerParty::awaited_and_here() const {
  return std::ranges::any_of(server_->unsaved(), [this](int n) {
    return seats_[static_cast<std::size_t>(n)].session != 0;
  });
}

// Until all have said that their last model is saved. Those who are here do so at once; the others
// may come while the server lingers, or when it is started again.
Status ServerParty::see_off() {
  const double linger = finished_before() ? options_.wait_for_clients : options_.linger;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(linger));
  LastWait wait(Clock::now(), kDrain, kLongestDrain, server_->unsaved().size());
  bool said = false;
  while (!server_->unsaved().empty() && !options_.stop()) {
    const auto now = Clock::now();
    if (now > std::max(until, awaited_and_here() ? wait.until() : until)) break;
    if (linger > 0 && !awaited_and_here() && !std::exchange(said, true)) {
      watch_.on_note(
          fmt::format("all is saved; waiting {:.0f} s for {}: rows cannot be scored without "
                      "the last models there",
                      linger, fmt::join(unsaved(), ", ")));
    }
    FEDVS_TRY_STATUS(heed_one(now + kTurn));
    FEDVS_TRY_STATUS(driver_->tick());
    note_progress(wait);
    show();
  }
  return {};
}

void ServerParty::note_progress(LastWait& wait) const {
  const auto now = Clock::now();
  const auto unsaved = server_->unsaved();
  wait.note_unsaved(now, unsaved.size());
  if (std::isfinite(server_->next_deadline())) wait.note_hello(now);
  for (const int n : unsaved) {
    if (server_->behind(n)) wait.note_fetched(now, n, server_->steps_fetched(n));
  }
}

// Before there are terms a client cannot read messages: it is put out with the reason where trying
// again cannot help. After a time-out it can: the server may be back and the missing come, so the
// others are told and go on trying, until they give up with the status of a time-out.
void ServerParty::say_farewell(const Status& status) {
  if (!server_) {
    if (ending_of(status) != protocol::Ending::kFailed) return;
    const bool refused = status.error().code != ErrorCode::kTooFewShares;
    for (int n = 0; n < client_count(); ++n) {
      if (seat(n).session != 0) hub_->close(n, status.error().message, refused);
    }
    return;
  }
  const auto farewell = transport::share(wire::encode(wire::Envelope(wire::OpenMessage{
      wire::encode(protocol::Farewell{ending_of(status), status ? "" : status.error().message})})));
  for (int n = 0; n < client_count(); ++n) {
    // One that has just come, or is catching up, gets what it missed first, then its own farewell.
    const bool comes = !seat(n).greeted || server_->behind(n) || server_->greeting_waits(n);
    if (server_->done() && comes) continue;
    if (seat(n).introduced) hub_->send(n, transport::Lane::kBulk, farewell, seat(n).session);
  }
}

Status ServerParty::finish(Status status) {
  if (driver_) {
    if (const auto saved = driver_->save_last(); !saved && status) status = saved;
  }
  say_farewell(status);
  if (status && !options_.trained) status = see_off();
  mail_.close();
  hub_->shutdown(kDrain);
  show();
  return status;
}

}  // namespace fedvs::party
