// What a running server shows of itself.
#include <fmt/format.h>

#include <cmath>

#include "fedvs/base/human.h"
#include "fedvs/base/log.h"
#include "fedvs/party/server_party.h"
#include "fedvs/protocol/exposure.h"

namespace fedvs::party {
namespace {

constexpr auto kShowEvery = std::chrono::milliseconds(200);
constexpr auto kSaySharingEvery = std::chrono::seconds(10);

}  // namespace

std::string ServerParty::phase() const {
  if (!server_) return "waiting for clients";
  if (server_->done()) {
    const bool awaits = !options_.trained && !server_->unsaved().empty();
    return awaits ? "done, waiting for clients to fetch their last models" : "done";
  }
  if (server_->awaits_clients()) {
    return server_->training_started() ? "waiting for clients to return" : "sharing rows";
  }
  if (options_.trained) return "scoring";
  if (server_->stands_by()) return "waiting for clients to learn";
  return server_->evaluating() ? "evaluating" : "training";
}

std::uint64_t ServerParty::rounds_per_epoch() const {
  if (!agreement_) return 0;
  const std::size_t rows = agreement_->coded_rows(data::Part::kTrain);
  return (rows + agreement_->batch_rows() - 1) / agreement_->batch_rows();
}

double ServerParty::bytes_per_client() const {
  if (!hub_) return 0;
  double bytes = 0;
  for (const auto& [client, stats] : hub_->stats()) {
    bytes += static_cast<double>(stats.bytes_in + stats.bytes_out);
  }
  return bytes / client_count();
}

void ServerParty::show_sharing(RunStatus& status) const {
  const bool shares = server_ && server_->awaits_clients() && !server_->training_started();
  status.rows_shared = shares ? server_->sharing().held_by_all() : server_ ? 1 : 0;
  status.sharing_seconds_left = shares ? server_->sharing().seconds_left(now()) : -1;
  for (int to = 0; to < client_count(); ++to) {
    auto& rows_of = status.clients[static_cast<std::size_t>(to)].rows_of;
    rows_of.clear();
    for (int from = 0; shares && from < client_count(); ++from) {
      rows_of.push_back(server_->sharing().held(to, from));
    }
  }
}

// The server carries the rows: while some pass, sharing goes on. Now and then it says how far.
void ServerParty::note_flow(const std::map<int, transport::ClientStats>& stats) {
  if (!server_ || server_->training_started()) return;
  std::uint64_t bytes = 0;
  for (const auto& [client, counted] : stats) bytes += counted.bulk_bytes;
  if (std::exchange(bulk_bytes_, bytes) != bytes) server_->rows_flow(now());
  if (Clock::now() - said_missing_ < kSaySharingEvery) return;
  said_missing_ = Clock::now();
  const auto& sharing = server_->sharing();
  const double left = sharing.seconds_left(now());
  log::info("rows: {:.0f} % shared{}; {}", std::floor(100 * sharing.held_by_all()),
            left < 0 ? "" : fmt::format(", about {} left", human_seconds(left)),
            sharing.unfinished());
}

void ServerParty::show() {
  if (Clock::now() - shown_ < kShowEvery) return;
  shown_ = Clock::now();
  const auto stats = hub_->stats();
  note_flow(stats);
  watch_.update([&](RunStatus& status) {
    status.job = identity_.job.data.name;
    status.phase = phase();
    status.rounds = rounds_per_epoch() * static_cast<std::uint64_t>(epochs());
    status.epochs = epochs();
    status.running_seconds = now();
    status.rounds_per_second = now() > 0 ? static_cast<double>(status.round) / now() : 0;
    status.server_restarts = restarts_;
    if (agreement_) {
      status.needed = agreement_->uploads_needed();
      status.may_be_late = client_count() - status.needed;
      const auto agree = server_ ? server_->heads_waited_with() : std::nullopt;
      status.heads_agreeing = agree.value_or(0);
      status.heads_needed = agree ? agreement_->shape.quorum() : 0;
      const bool grouped = server_ && server_->policy().groups_formed();
      const auto exposure =
          protocol::exposure_of(*agreement_, grouped ? &server_->policy().groups() : nullptr);
      status.exposure = exposure.largest();
      status.exposure_text = exposure.text();
    }
    if (server_) {
      status.nobody_learns = server_->why_nobody_learns();
      status.idle_rounds = server_->idle_rounds();
      status.idle_epochs = server_->idle_epochs();
    }
    show_sharing(status);
    status.relayed_bytes = 0;
    for (int n = 0; n < client_count(); ++n) {
      auto& client = status.clients[static_cast<std::size_t>(n)];
      client.connected = seat(n).session != 0;
      client.restarts = seat(n).lives > 0 ? seat(n).lives - 1 : 0;
      if (server_) {
        client.dead = server_->board().dead(n);
        client.behind = server_->behind(n);
        client.standing = server_->why_not_counted_on(n);
      }
      const auto found = stats.find(n);
      if (found == stats.end()) continue;
      client.heard_seconds_ago = found->second.since_heard.count();
      client.bytes_in = found->second.bytes_in;
      client.bytes_out = found->second.bytes_out;
      client.connects = found->second.connects;
      status.relayed_bytes += found->second.relayed_bytes;
    }
  });
}

}  // namespace fedvs::party
