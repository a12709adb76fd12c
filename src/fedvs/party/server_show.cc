// What a running server shows of itself.
#include <fmt/format.h>

#include <cmath>

#include "fedvs/base/human.h"
#include "fedvs/base/log.h"
#include "fedvs/party/server_party.h"
#include "fedvs/protocol/exposure.h"

namespace fedvs::party {

std::string ServerParty::phase() const {
  if (!run_) return "waiting for clients";
  const auto& server = run_->server();
  if (server.done()) {
    const bool awaits = !kit_.trained && !server.unsaved().empty();
    return awaits ? "done, waiting for clients to fetch their last models" : "done";
  }
  if (server.awaits_clients()) {
    return server.training_started() ? "waiting for clients to return" : "sharing rows";
  }
  if (kit_.trained) return "scoring";
  if (server.stands_by()) return "waiting for clients to learn";
  return server.evaluating() ? "evaluating" : "training";
}

std::uint64_t ServerParty::rounds_per_epoch() const {
  if (!run_) return 0;
  const auto& agreement = run_->agreement();
  const std::size_t rows = agreement.coded_rows(data::Part::kTrain);
  return (rows + agreement.batch_rows() - 1) / agreement.batch_rows();
}

double ServerParty::bytes_per_client() const {
  double bytes = 0;
  for (const auto& [client, stats] : reception_.stats()) {
    bytes += static_cast<double>(stats.bytes_in + stats.bytes_out);
  }
  return bytes / client_count();
}

// The server carries the rows: while some pass, sharing goes on. Now and then it says how far.
void ServerParty::note_flow(const std::map<int, transport::ClientStats>& stats) {
  if (!run_ || run_->server().training_started()) return;
  std::uint64_t bytes = 0;
  for (const auto& [client, counted] : stats) bytes += counted.bulk_bytes;
  if (std::exchange(bulk_bytes_, bytes) != bytes) run_->server().rows_flow(now());
  if (!says_.due(Clock::now())) return;
  const auto& sharing = run_->server().sharing();
  const double left = sharing.seconds_left(now());
  log::info("rows: {:.0f} % shared{}; {}", std::floor(100 * sharing.held_by_all()),
            left < 0 ? "" : fmt::format(", about {} left", human_seconds(left)),
            sharing.unfinished());
}

void ServerParty::show_run(RunStatus& status) const {
  const auto& agreement = run_->agreement();
  const auto& server = run_->server();
  status.uploads.needed = agreement.uploads_needed();
  status.uploads.may_be_late = client_count() - status.uploads.needed;
  const auto agree = server.heads_waited_with();
  status.heads.agreeing = agree.value_or(0);
  status.heads.needed = agree ? agreement.shape.quorum() : 0;
  const auto& policy = server.policy();
  const auto exposure =
      protocol::exposure_of(agreement, policy.groups_formed() ? &policy.groups() : nullptr);
  status.exposure.largest = exposure.largest();
  status.exposure.text = exposure.text();
  status.idle.why = server.why_nobody_learns();
  status.idle.rounds = server.idle_rounds();
  status.idle.epochs = server.idle_epochs();
}

void ServerParty::show_sharing(RunStatus& status) const {
  const auto* server = run_ ? &run_->server() : nullptr;
  const bool shares = server && server->awaits_clients() && !server->training_started();
  status.rows.shared = shares ? server->sharing().held_by_all() : server ? 1 : 0;
  status.rows.seconds_left = shares ? server->sharing().seconds_left(now()) : -1;
  for (int to = 0; to < client_count(); ++to) {
    auto& rows_of = status.clients[static_cast<std::size_t>(to)].rows_of;
    rows_of.clear();
    for (int from = 0; shares && from < client_count(); ++from) {
      rows_of.push_back(server->sharing().held(to, from));
    }
  }
}

void ServerParty::show_client(int client, ClientStatus& status) const {
  status.connected = reception_.seats().here(client);
  status.restarts = reception_.seats().restarts(client);
  if (!run_) return;
  status.dead = run_->server().board().dead(client);
  status.behind = run_->server().behind(client);
  status.standing = run_->server().why_not_counted_on(client);
}

void ServerParty::show() {
  if (!shows_.due(Clock::now())) return;
  const auto stats = reception_.stats();
  note_flow(stats);
  watch_.update([&](RunStatus& status) {
    status.job = job().data.name;
    status.phase = phase();
    status.progress.rounds = rounds_per_epoch() * static_cast<std::uint64_t>(epochs());
    status.progress.epochs = epochs();
    status.running_seconds = now();
    status.rounds_per_second = now() > 0 ? static_cast<double>(status.progress.round) / now() : 0;
    status.server_restarts = kit_.restarts;
    if (run_) show_run(status);
    show_sharing(status);
    status.relayed_bytes = 0;
    for (int n = 0; n < client_count(); ++n) {
      auto& client = status.clients[static_cast<std::size_t>(n)];
      show_client(n, client);
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
