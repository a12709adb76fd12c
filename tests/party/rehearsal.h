// A whole networked run in one process: a server and its clients, each with a folder, a thread and
// a connection of its own over the loopback with mutual TLS. Waiting is for conditions.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fedvs/data/party_files.h"
#include "fedvs/deploy/trial.h"
#include "fedvs/party/client_party.h"
#include "fedvs/party/server_party.h"
#include "tests/party/log_file.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::party::testing {

// What the server tells. While `linger` is set, every round after the first few takes a moment, so
// that a run does not end before those who disturb it have come.
class Diary final : public protocol::Observer {
 public:
  void on_round(const protocol::RoundRecord& record) override;
  void on_evaluation(const protocol::EvaluationRecord& record) override;
  void on_note(const std::string& note) override;
  void on_groups(const protocol::Groups& groups) override;

  void set_linger(bool linger);
  std::uint64_t rounds() const;
  double accuracy() const;  // of the last test
  std::vector<std::string> notes() const;
  protocol::Groups groups() const;  // the last that the server named
  // Whether it comes true in time.
  bool wait_for_round(std::uint64_t rounds) const;
  bool wait_for_note(const std::string& part, std::size_t times = 1) const;

 private:
  std::size_t count(const std::string& part) const;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t rounds_ = 0;
  double accuracy_ = 0;
  std::vector<std::string> notes_;
  protocol::Groups groups_;
  bool linger_ = false;
};

class Rehearsal {
 public:
  static constexpr int kClients = 6;  // unless `sets` has another data.clients
  explicit Rehearsal(std::vector<std::string> sets = {});
  ~Rehearsal();  // stops whoever still runs

  // Server and clients; client n through the address that `via` names, if it does.
  void start(const std::map<int, std::string>& via = {});
  void start_server();
  void start_client(int n, const std::string& via = "");
  void start_client(int n, data::PartyRows rows, const std::string& via);  // another file
  Status stop_client(int n);
  Status wait_client(int n);  // until it ends by itself
  void stop_all();

  struct Ending {
    Status server;
    std::vector<Status> clients;
    std::uint64_t rounds;
    double accuracy;
  };
  Ending wait();  // until the run is over

  Diary& diary() { return diary_; }
  LogFile& log() { return log_; }
  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  const deploy::Trial& trial() const { return *trial_; }
  const Job& job() const { return job_; }
  const std::filesystem::path& table_of(int n) const {  // a client's CSV file
    return files_.clients[static_cast<std::size_t>(n)];
  }
  data::PartyRows rows_of(int n) const;
  static std::string name(int n) { return "client-" + std::to_string(n + 1); }
  // What the trial's folders hold: keys and all.
  deploy::ServerFolder server_folder() const;
  deploy::ClientFolder client_folder(int n) const;
  transport::Tls client_tls(int n) const;
  transport::Tls server_tls() const;
  RunStatus status() const { return server_->status(); }
  const ServerParty& server() const { return *server_; }
  bool server_runs() const { return server_runs_; }

 private:
  struct ClientThread {
    std::thread thread;
    std::atomic<bool> stop{false};
    Status ended;
  };

  ScratchFolder folder_;
  LogFile log_{folder_ / "log"};
  Job job_;
  data::PartyFiles files_;
  std::optional<deploy::Trial> trial_;
  Diary diary_;
  std::unique_ptr<ServerParty> server_;
  std::thread server_thread_;
  std::atomic<bool> stop_server_{false};
  std::atomic<bool> server_runs_{false};
  Status server_ended_;
  int port_ = 0;
  std::map<int, std::unique_ptr<ClientThread>> clients_;
};

}  // namespace fedvs::party::testing
