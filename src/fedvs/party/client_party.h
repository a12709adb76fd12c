// A client on the network: tells protocol::Client what comes over a link, keeps its state in its
// folder, and comes back by itself when the connection or the server goes. drive/client_driver.h
// has the order in which things happen; here is where they are written and how they leave.
#pragma once
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "fedvs/coding/lagrange.h"
#include "fedvs/data/party_rows.h"
#include "fedvs/deploy/client_folder.h"
#include "fedvs/drive/client_driver.h"
#include "fedvs/net/transport/link.h"
#include "fedvs/party/client_state.h"
#include "fedvs/party/group_memory.h"
#include "fedvs/party/mailbox.h"
#include "fedvs/party/run_memory.h"
#include "fedvs/party/sealed_post.h"
#include "fedvs/party/trained.h"
#include "fedvs/protocol/client/client.h"

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

class ClientParty final : drive::ClientJournal, drive::Outbox {
 public:
  static Result<std::unique_ptr<ClientParty>> create(deploy::ClientFolder identity,
                                                     data::PartyRows rows,
                                                     ClientPartyOptions options);
  ~ClientParty() override;

  bool finished_before() const { return state_.finished(); }
  // Until the run is over. kStopped: saved, may be started again; kTooFewShares: the server stayed
  // away; kRefused: the server or this client will have nothing to do with the other.
  Status run();

 private:
  struct Connected {
    std::uint64_t session;
  };
  struct Disconnected {
    std::string reason;
    bool refused;
  };
  struct Arrived {
    int from;
    transport::Bytes bytes;
  };
  using Event = std::variant<Connected, Disconnected, Arrived>;

  ClientParty(deploy::ClientFolder identity, data::PartyRows rows, ClientPartyOptions options,
              ClientState state, SealedPost post, std::optional<GroupMemory> groups);
  Status connect();
  wire::EnvelopeLimits envelope_limits() const;
  Status turn();  // one event, or a little waiting
  bool room_for_rows();
  Status on(const Connected& event);
  Status on(const Disconnected& gone);
  Status on(const Arrived& arrived);
  Status take(wire::RowsOffer&& offer);
  Status take(wire::Terms&& terms);
  Status take(wire::OpenMessage&& message);
  Status take(wire::Sealed&& sealed);
  template <class Other>
  Status take(Other&&) {  // not for clients
    return {};
  }

  Status begin(const wire::Terms& terms);
  Status check(const wire::RowsOffer& offer) const;
  Status check(const wire::Terms& terms) const;
  void forget_run();
  Status pin();
  Status make_client(const wire::Terms& terms);
  Result<data::Prepared> prepare();
  Result<protocol::SharingId> share_as(const protocol::LocalModel::Rows& rows, const Digest& run);
  Status receive(const protocol::MessagePtr& message);
  Status note(const protocol::MessagePtr& message) override;
  void note_broken_off() override;
  Status note_plan_of(const protocol::Step& step);
  Status keep_groups();
  Status keep_run(RunMemory::Whose whose) const;
  void warn_about(int from, const std::string& text);
  void keep_unopened(wire::Sealed&& sealed);
  Status retry_unopened();
  void send(int to, protocol::Lane lane, const protocol::MessagePtr& message) override;
  void transmit(int to, protocol::Lane lane, std::string envelope);
  void save_if_due(bool now);
  Status ended() const;
  double away() const;  // seconds without the server

  using Clock = std::chrono::steady_clock;
  deploy::ClientFolder identity_;
  data::PartyRows rows_;  // until the run is pinned: another one may need them
  std::size_t row_count_, features_;
  Digest data_id_, row_ids_;
  ClientPartyOptions options_;
  ClientState state_;
  SealedPost post_;
  // None where rows are scored: all with one version of every model, whatever the groups.
  std::optional<GroupMemory> groups_;
  bool pinned_ = false, groups_kept_ = false, own_run_kept_ = false, run_kept_ = false;
  std::unique_ptr<SecretSource> secrets_;  // once its sharing is known
  std::optional<wire::Terms> terms_;       // of the run; pinned once rows are shared
  std::optional<protocol::Agreement> agreement_;
  std::optional<coding::LagrangeCode> code_;
  std::unique_ptr<protocol::Client> client_;
  std::unique_ptr<drive::ClientDriver> driver_;  // of client_, and there while it is
  bool said_hello_ = false;
  int events_in_a_row_ = 0;
  std::deque<wire::Sealed> unopened_;  // perhaps of a life that the next welcome names
  std::map<int, std::size_t> unread_;  // by sender: parcels of this connection
  std::vector<bool> frozen_;
  Status failed_;
  bool connected_ = false, save_soon_ = false;
  protocol::StepNumber saved_step_ = 0;
  std::uint64_t session_ = 0;  // of the link, the last one that it has introduced itself in
  std::string last_reason_ = "no answer yet";
  Clock::time_point last_connected_ = Clock::now(), last_saved_ = Clock::now();
  Clock::duration saving_took_{};
  Mailbox<Event> mailbox_;
  std::unique_ptr<transport::Link> link_;  // last: its events need the rest
};

}  // namespace fedvs::party
