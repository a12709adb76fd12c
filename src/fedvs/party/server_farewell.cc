// The end of a run: everybody is told, and whoever lacks its last model may still come for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/party/outgoing.h"
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
  if (!run_ || !run_->server().done()) return names;
  for (int n : run_->server().unsaved()) names.push_back(name(n));
  return names;
}

bool ServerParty::awaited_and_here() const {
  return std::ranges::any_of(run_->server().unsaved(),
                             [this](int n) { return reception_.seats().here(n); });
}

// Until all have said that their last model is saved. Those who are here do so at once; the others
// may come while the server lingers, or when it is started again.
Status ServerParty::see_off() {
  const auto& server = run_->server();
  const double linger = finished_before() ? options_.wait_for_clients : options_.linger;
  const auto until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(linger));
  LastWait wait(Clock::now(), kDrain, kLongestDrain, server.unsaved().size());
  bool said = false;
  while (!server.unsaved().empty() && !options_.stop()) {
    const auto now = Clock::now();
    if (now > std::max(until, awaited_and_here() ? wait.until() : until)) break;
    if (linger > 0 && !awaited_and_here() && !std::exchange(said, true)) {
      watch_.on_note(
          fmt::format("all is saved; waiting {:.0f} s for {}: rows cannot be scored without "
                      "the last models there",
                      linger, fmt::join(unsaved(), ", ")));
    }
    FEDVS_TRY_STATUS(heed_one(now + kTurn));
    FEDVS_TRY_STATUS(run_->driver().tick());
    note_progress(wait);
    show();
  }
  return {};
}

void ServerParty::note_progress(LastWait& wait) const {
  const auto now = Clock::now();
  const auto& server = run_->server();
  const auto unsaved = server.unsaved();
  wait.note_unsaved(now, unsaved.size());
  if (std::isfinite(server.next_deadline())) wait.note_hello(now);
  for (const int n : unsaved) {
    if (server.behind(n)) wait.note_fetched(now, n, server.steps_fetched(n));
  }
}

// Before there are terms a client cannot read messages: it is put out with the reason where trying
// again cannot help. After a time-out it can: the server may be back and the missing come, so the
// others are told and go on trying, until they give up with the status of a time-out.
void ServerParty::put_out_all(const Status& status) {
  const bool refused = status.error().code != ErrorCode::kTooFewShares;
  for (int n = 0; n < client_count(); ++n) {
    if (reception_.seats().here(n)) reception_.put_out(n, status.error().message, refused);
  }
}

void ServerParty::say_farewell(const Status& status) {
  const auto farewell =
      in_the_open(protocol::Farewell{ending_of(status), status ? "" : status.error().message});
  const auto& server = run_->server();
  for (int n = 0; n < client_count(); ++n) {
    const auto stage = reception_.seats().stage(n);
    // One that has just come, or is catching up, gets what it missed first, then its own farewell.
    const bool comes = stage < Stage::kGreeted || server.behind(n) || server.greeting_waits(n);
    if (stage < Stage::kIntroduced || (server.done() && comes)) continue;
    reception_.tell(n, farewell, transport::Lane::kBulk);
  }
}

Status ServerParty::finish(Status status) {
  if (run_) {
    if (const auto saved = run_->driver().save_last(); !saved && status) status = saved;
    say_farewell(status);
  } else if (ending_of(status) == protocol::Ending::kFailed) {
    put_out_all(status);
  }
  if (status && !kit_.trained) status = see_off();
  reception_.close(kDrain);
  show();
  return status;
}

}  // namespace fedvs::party
