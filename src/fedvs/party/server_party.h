// The server on the network: lets clients in, tells protocol::Server what they send, and goes on
// after a restart from what it wrote down.
//   reception.h   the connections: events in, parcels out, who stands where
//   door.h        who may come in
//   server_run.h  the run, once all clients have come; what is written down, and when
//   server_watch.h   what is shown of it
// drive/server_driver.h has the order in which things happen.
#pragma once
#include <functional>

#include "fedvs/party/last_wait.h"
#include "fedvs/party/reception.h"
#include "fedvs/party/server_run.h"
#include "fedvs/party/server_watch.h"
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

class ServerParty final : public protocol::RunView {
 public:
  // Where rows are scored, labels that nobody knows are 0. kCorrupt, kRefused for a folder of
  // another run.
  static Result<std::unique_ptr<ServerParty>> create(deploy::ServerFolder identity,
                                                     const data::PartyLabels& labels,
                                                     ServerPartyOptions options,
                                                     protocol::Observer& observer);

  // What the recorder must know again, before every step; and what it had said before a restart.
  std::function<std::string()> totals = [] { return std::string(); };
  const std::string* saved_totals() const;
  bool finished_before() const { return kit_.finished(); }
  std::vector<std::string> unsaved() const;  // once done: names of clients that must still come

  Status listen();
  int port() const { return reception_.port(); }
  // Until the run is over. kStopped: saved, may be started again; kTooFewShares: too few clients
  // for too long, saved as well.
  Status run();
  RunStatus status() const { return watch_.snapshot(); }
  // Where rows were scored, now or before: class probabilities, in the order of the ids.
  const std::vector<float>& scores() const { return run_->learner().probabilities(); }
  const data::PreparedLabels& labels() const { return kit_.labels; }
  const Job& job() const { return kit_.identity.job; }
  std::size_t most_waited() const { return reception_.most_waited(); }

  int client_count() const override { return static_cast<int>(roster().clients.size()); }
  int epochs() const override { return job().train.epochs; }
  std::uint64_t rounds_per_epoch() const override;
  double training_seconds(double at) const override { return at; }
  double bytes_per_client() const override;
  double wait_for_all(std::uint64_t, std::size_t) const override { return 0; }

 private:
  using Clock = RunClock::Clock;
  ServerParty(deploy::ServerFolder identity, data::PreparedLabels labels, const ServerRows& rows,
              ClassNames classes, ServerPartyOptions options, ServerState state, GroupMemory groups,
              protocol::Observer& observer);
  Status resume();

  // ---- one event after the other (server_party.cc)
  Status turn();
  Status heed_one(Clock::time_point until);
  Status check_stop();
  Status check_waiting();
  Status begin_run();
  Status make_run();

  // ---- what comes from clients (server_connections.cc)
  wire::EnvelopeLimits envelope_limits() const;
  Status on(const Reception::Connected& event);
  Status on(const Reception::Disconnected& event);
  Status on(const Reception::Arrived& event);
  Status take(int client, wire::Introduction&& introduction);
  Status take(int client, wire::RowsAnswer&& answer);
  Status take(int client, wire::OpenMessage&& open);
  template <class Other>
  Status take(int client, Other&&) {
    return refuse(client, "a parcel that is not for the server");
  }
  Status take(int client, const protocol::MessagePtr& message);
  Status weigh(const protocol::RowVerdict& verdict);
  Status let_in(const protocol::MessagePtr& hello);
  Status refuse(int client, const std::string& reason);
  void left(int client);
  void start_over(int client);
  void note_about(int client, const std::string& text);

  // ---- the end (server_farewell.cc)
  Status finish(Status status);
  void say_farewell(const Status& status);
  void put_out_all(const Status& status);
  Status see_off();
  void note_progress(LastWait& wait) const;
  bool awaited_and_here() const;

  // ---- what is shown (server_show.cc)
  void show();
  void show_run(RunStatus& status) const;
  void show_sharing(RunStatus& status) const;
  void show_client(int client, ClientStatus& status) const;
  void note_flow(const std::map<int, transport::ClientStats>& stats);
  std::string phase() const;

  double now() const { return kit_.clock.now(); }
  const deploy::Roster& roster() const { return kit_.identity.roster; }
  const std::string& name(int client) const {
    return roster().clients[static_cast<std::size_t>(client)].name;
  }

  ServerPartyOptions options_;
  ServerKit kit_;
  ServerWatch watch_;
  Reception reception_;
  std::unique_ptr<ServerRun> run_;   // none while clients are waited for, before rows are shared
  std::size_t largest_message_ = 0;  // of the newest run: some of one that was dropped still come
  // What a hello costs, a signature to verify first of all, a client cannot make it cost often.
  protocol::Turnstile hellos_;
  protocol::Turnstile notes_;                       // of comings and goings, which go to a file
  Clock::time_point waiting_since_ = Clock::now();  // for all clients to come
  Every says_, shows_;            // into the log, what it waits for; to `fedvs status`
  std::uint64_t bulk_bytes_ = 0;  // that have passed, while rows are shared
  bool stopping_ = false;
};

}  // namespace fedvs::party
