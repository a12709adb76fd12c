// What a running server shows of itself.
#include "fedvs/party/server_party.h"

namespace fedvs::party {
namespace {

constexpr auto kShowEvery = std::chrono::milliseconds(200);

}  // namespace

std::string ServerParty::phase() const {
  if (!server_) return "waiting for clients";
  if (server_->done()) return "done";
  if (server_->awaits_clients()) {
    return server_->training_started() ? "waiting for clients to return" : "sharing rows";
  }
  if (options_.trained) return "scoring";
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

void ServerParty::show() {
  if (Clock::now() - shown_ < kShowEvery) return;
  shown_ = Clock::now();
  const auto stats = hub_->stats();
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
    }
    status.relayed_bytes = 0;
    for (int n = 0; n < client_count(); ++n) {
      auto& client = status.clients[static_cast<std::size_t>(n)];
      client.connected = seat(n).session != 0;
      client.restarts = seat(n).lives > 0 ? seat(n).lives - 1 : 0;
      if (server_) {
        client.dead = server_->board().dead(n);
        client.behind = server_->behind(n);
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
