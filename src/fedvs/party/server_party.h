// The server on the network: lets clients in, tells protocol::Server what they send, and goes on
// after a restart from what it wrote down. drive/server_driver.h has the order in which things
// happen; here is where they are written and how they leave.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "fedvs/coding/lagrange.h"
#include "fedvs/data/party_rows.h"
#include "fedvs/deploy/server_folder.h"
#include "fedvs/drive/server_driver.h"
#include "fedvs/net/transport/hub.h"
#include "fedvs/party/door.h"
#include "fedvs/party/group_memory.h"
#include "fedvs/party/head_log.h"
#include "fedvs/party/last_wait.h"
#include "fedvs/party/letterboxes.h"
#include "fedvs/party/row_verdicts.h"
#include "fedvs/party/server_state.h"
#include "fedvs/party/server_watch.h"
#include "fedvs/protocol/server/server.h"
#include "fedvs/protocol/server/turnstile.h"

namespace fedvs::party {

struct ServerPartyOptions {
  std::filesystem::path folder;  // its state lies in folder/state, or another one to score rows
  std::optional<TrainedServer> trained = {};  // what the rows are scored with; none: it trains
  std::string listen;                         // "host:port"; empty: the roster's
  double wait_for_clients = 3600;  // seconds, until all have come; and below R, for some to return
  // Seconds that it stays after the end for clients that are away and lack their last model; a
  // server that is started again for them waits for them as above.
  double linger = 0;
  transport::Limits limits = {};
  std::function<bool()> stop = [] { return false; };  // asked a few times a second
};

class ServerParty final : public protocol::RunView, drive::ServerJournal, drive::Outbox {
 public:
  // Where rows are scored, labels that nobody knows are 0. kCorrupt, kRefused for a folder of
  // another run.
  static Result<std::unique_ptr<ServerParty>> create(deploy::ServerFolder identity,
                                                     const data::PartyLabels& labels,
                                                     ServerPartyOptions options,
                                                     protocol::Observer& observer);
  ~ServerParty() override;

  // What the recorder must know again, before every step; and what it had said before a restart.
  std::function<std::string()> totals = [] { return std::string(); };
  const std::string* saved_totals() const;
  bool finished_before() const;
  std::vector<std::string> unsaved() const;  // once done: names of clients that must still come

  Status listen();
  int port() const { return hub_->port(); }
  // Until the run is over. kStopped: saved, may be started again; kTooFewShares: too few clients
  // for too long, saved as well.
  Status run();
  RunStatus status() const { return watch_.snapshot(); }
  const protocol::Agreement* agreement() const { return agreement_ ? &*agreement_ : nullptr; }
  // Where rows were scored, now or before: class probabilities, in the order of the ids.
  const std::vector<float>& scores() const { return learner_->probabilities(); }
  const protocol::Learner* learner() const { return learner_.get(); }
  const data::PreparedLabels& labels() const { return labels_; }
  const Job& job() const { return identity_.job; }
  // Of one client, waiting to be read: never more than this.
  static constexpr BoxRoom kRoomOfOne{.events = 1024, .bytes = std::size_t{64} << 20};
  std::size_t most_waited() const { return mail_.fullest(); }  // events, so far

  int client_count() const override { return static_cast<int>(identity_.roster.clients.size()); }
  int epochs() const override { return identity_.job.train.epochs; }
  std::uint64_t rounds_per_epoch() const override;
  double training_seconds(double at) const override { return at; }
  double bytes_per_client() const override;
  double wait_for_all(std::uint64_t, std::size_t) const override { return 0; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Connected {
    int client;
    std::uint64_t session;
  };
  struct Disconnected {
    int client;
    std::uint64_t session;
    std::string reason;
  };
  struct Arrived {
    int client;
    std::uint64_t session;
    transport::Bytes bytes;
  };
  using Event = std::variant<Connected, Disconnected, Arrived>;
  struct Seat {
    std::uint64_t session = 0;  // 0: not connected
    std::uint64_t newest = 0;   // session that was heard of; they count up
    bool introduced = false;    // has said who it is
    bool come = false;          // and that its rows are the server's
    bool greeted = false;       // and has read the terms
    std::uint64_t lives = 0;
  };

  ServerParty(deploy::ServerFolder identity, data::PreparedLabels labels, const ServerRows& rows,
              ClassNames classes, ServerPartyOptions options, ServerState state, GroupMemory groups,
              protocol::Observer& observer);
  Status resume();
  transport::HubEvents events();
  wire::EnvelopeLimits envelope_limits() const;
  Status turn();
  Status heed_one(Clock::time_point until);
  Status check_waiting();
  Status on(const Connected& event);
  Status on(const Disconnected& event);
  Status on(const Arrived& event);
  Status take(int client, wire::Introduction&& introduction);
  Status take(int client, wire::RowsAnswer&& answer);
  Status take(int client, wire::OpenMessage&& open);
  template <class Other>
  Status take(int client, Other&&) {
    refuse(client, "a parcel that is not for the server");
    return {};
  }
  void note_about(int client, const std::string& text);
  void refuse(int client, const std::string& reason);
  void leave(int client);
  void start_over(int client);
  Status let_in(const protocol::MessagePtr& hello);
  Status greet(int client, const protocol::Hello& hello);
  Status weigh(const protocol::RowVerdict& verdict);
  Status settle();
  Status begin_run();
  Status make_server();
  Status recall_learned();
  void send_terms(int client);
  void send(int to, protocol::Lane lane, const protocol::MessagePtr& message) override;
  Status save(Moment moment) override;
  Status keep_groups();
  protocol::Groups groups_of_before() const;
  Status save_central();
  void show();
  void show_sharing(RunStatus& status) const;
  void note_flow(const std::map<int, transport::ClientStats>& stats);
  Status finish(Status status);
  void say_farewell(const Status& status);
  Status see_off();
  void note_progress(LastWait& wait) const;
  bool awaited_and_here() const;
  std::string phase() const;
  double now() const;  // seconds that the run has taken, over all restarts
  Seat& seat(int client) { return seats_[static_cast<std::size_t>(client)]; }
  const std::string& name(int client) const {
    return identity_.roster.clients[static_cast<std::size_t>(client)].name;
  }

  deploy::ServerFolder identity_;
  data::PreparedLabels labels_;
  ClassNames classes_;
  ServerPartyOptions options_;
  ServerState state_;
  GroupMemory groups_;  // outlives the state
  bool groups_kept_ = false;
  Door door_;
  RowVerdicts verdicts_;
  ServerWatch watch_;
  std::unique_ptr<SecretSource> secrets_;
  std::optional<protocol::Agreement> agreement_;
  std::optional<coding::LagrangeCode> code_;
  std::unique_ptr<GradientLog> gradients_;
  std::unique_ptr<HeadLog> heads_;
  std::unique_ptr<protocol::Learner> learner_;
  std::unique_ptr<protocol::Server> server_;
  std::unique_ptr<drive::ServerDriver> driver_;  // of server_, and there while it is
  std::vector<Seat> seats_;
  std::uint64_t restarts_ = 0;
  double seconds_before_ = 0;
  Clock::time_point started_ = Clock::now(), said_missing_ = started_, shown_{};
  Clock::time_point waiting_since_ = started_;  // for all clients to come
  std::uint64_t bulk_bytes_ = 0;                // that have passed, while rows are shared
  bool stopping_ = false;
  protocol::MessagePtr encoded_message_;  // the last broadcast, and its bytes
  transport::Bytes encoded_;
  // What a hello costs, a signature to verify first of all, a client cannot make it cost often.
  protocol::Turnstile hellos_;
  protocol::Turnstile notes_;  // of comings and goings, which go to a file
  Letterboxes<Event> mail_{kRoomOfOne};
  std::unique_ptr<transport::Hub> hub_;  // last: its events need the rest
};

}  // namespace fedvs::party
