// A client on the network: tells protocol::Client what comes from the server, keeps its state in
// its folder, and comes back by itself when the connection or the server goes.
//   uplink.h       the connection: events in, parcels out
//   client_run.h   the run, from the moment at which the server has named its terms
//   client_notes.h what is written down, and when
// drive/client_driver.h has the order in which things happen.
#pragma once
#include <functional>

#include "fedvs/party/client_run.h"
#include "fedvs/party/uplink.h"

namespace fedvs::party {

struct ClientPartyOptions {
  // Its state lies in folder/state, or another one to score rows; groups.ckpt outlives it.
  std::filesystem::path folder;
  std::optional<TrainedClient> trained = {};  // what the rows are scored with; none: it trains
  std::string server;            // another address than the roster's; for tests and tunnels
  double give_up_after = 1800;   // seconds without the server
  double save_every = 15;        // seconds, or longer where saving takes long
  bool take_part_again = false;  // though it has refused before: its operator's word
  transport::Limits limits = {};
  std::function<bool()> stop = [] { return false; };  // asked a few times a second
};

class ClientParty final : drive::Outbox {
 public:
  static Result<std::unique_ptr<ClientParty>> create(deploy::ClientFolder identity,
                                                     data::PartyRows rows,
                                                     ClientPartyOptions options);

  bool finished_before() const { return kit_.state.finished(); }
  // Until the run is over. kStopped: saved, may be started again; kTooFewShares: the server stayed
  // away; kRefused: the server or this client will have nothing to do with the other.
  Status run();

 private:
  ClientParty(ClientKit kit, ClientPartyOptions options);
  wire::EnvelopeLimits envelope_limits() const;
  Status turn();  // one event, or a little waiting
  bool is_over() const { return run_ && run_->client().farewell() != nullptr; }
  Status on(const Uplink::Connected&);
  Status on(const Uplink::Disconnected& gone);
  Status on(const Uplink::Arrived& arrived);
  Status take(wire::RowsOffer&& offer);
  Status take(wire::Terms&& terms);
  Status take(wire::OpenMessage&& message);
  Status take(wire::Sealed&& sealed);
  template <class Other>
  Status take(Other&&) {  // not for clients
    return {};
  }
  void send(int to, protocol::Lane lane, const protocol::MessagePtr& message) override;
  void tell_server(std::string envelope);

  ClientKit kit_;
  ClientPartyOptions options_;
  std::unique_ptr<ClientRun> run_;  // none before the server has named its terms
  int events_in_a_row_ = 0;
  Uplink uplink_;
};

}  // namespace fedvs::party
