// Parties that can be killed and started again, in one process and without a network: messages go
// from hand to hand in order, time passes only when nothing else happens. Each party has a "folder"
// (bytes that it saved) of its own, which a test may keep, lose or roll back.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/coding/lagrange.h"
#include "fedvs/model/client_network.h"
#include "fedvs/sim/seeded_secrets.h"
#include "tests/support/world_fixture.h"

namespace fedvs::testing {

// What must be the same in every life of a party comes from one seed, the rest from its life: as a
// networked party has it from its folder's key and from the operating system.
class LivedSecrets final : public SecretSource {
 public:
  LivedSecrets(std::uint64_t seed, std::uint64_t life) : kept_(seed), fresh_(seed + 7919 * life) {}
  Prng stream(Purpose purpose, int party, std::uint64_t round) override;
  bool reproducible() const override { return true; }

 private:
  sim::SeededSecrets kept_, fresh_;
};

struct ClientFolder {
  std::string checkpoint;
  std::vector<protocol::MessagePtr> models;
  std::map<int, std::deque<protocol::MessagePtr>> newest_models;  // by sender, as they come
  std::vector<protocol::MessagePtr> plans;  // steps with plans since the checkpoint
  std::map<std::tuple<int, data::Part, std::size_t>, protocol::MessagePtr> rows;
};
struct ServerFolder {
  std::string notes, central;
  protocol::GradientsInMemory gradients;
};

class Stage {
 public:
  explicit Stage(const Sets& sets, double wait_for_return = 1000);
  ~Stage();

  void start();                                  // the server and all clients
  void start_server();                           // from its folder, if it left anything in it
  void start_client(int n);                      // from its folder
  void come_back(int n);                         // the same process, over a new connection
  void kill_client(int n, bool noticed = true);  // by the server, whose connection breaks
  void kill_server();
  void freeze_client(int n) { frozen_[index(n)] = true; }  // keeps its messages
  void thaw_client(int n);
  // Until the server is done or failed, `stop` says so, or nothing happens any more.
  void run(const std::function<bool()>& stop = {});
  void run_until_round(std::uint64_t round);

  bool alive(int n) const { return clients_[index(n)] != nullptr; }
  protocol::Server& server() { return *server_; }
  protocol::Client& client(int n) { return *clients_[index(n)]; }
  ClientFolder& folder(int n) { return folders_[index(n)]; }
  ServerFolder& server_folder() { return server_folder_; }
  std::string& rows_of(int n) { return rows_[index(n)]; }  // what its row ids are, in a word
  const protocol::Agreement& agreement() const { return agreement_; }
  double now() const { return now_; }
  std::string describe();  // the newest plan, and who lacks what of it

  Recorder recorder;
  std::map<std::uint64_t, std::shared_ptr<const protocol::Plan>> plans;  // sent, by revision
  // Rounded weights as shared, by client and step: told whenever a client is saved.
  std::map<std::pair<int, protocol::StepNumber>, std::vector<std::int32_t>> rounded;
  std::function<bool(int from, int to, const protocol::Message&)> lose;  // true: never arrives

 private:
  struct Letter {
    int from, to;
    protocol::MessagePtr message;
  };
  static std::size_t index(int n) { return static_cast<std::size_t>(n); }
  void submit(int party, protocol::Tasks tasks);
  void finish(int party, protocol::Tasks tasks);
  void send(int from, const protocol::Outgoing& outgoing);
  bool deliver_next();
  bool pass_time();
  void deliver(const Letter& letter);
  void note(int client, const protocol::MessagePtr& message);
  void save_client(int n);
  void save_server();

  Job job_;
  data::PreparedJob prepared_;
  protocol::Agreement agreement_;
  coding::LagrangeCode code_;
  std::vector<std::unique_ptr<LivedSecrets>> secrets_;  // of all lives
  std::unique_ptr<protocol::Learner> learner_;
  std::unique_ptr<protocol::Server> server_;
  std::vector<std::unique_ptr<protocol::Client>> clients_;
  std::vector<std::deque<protocol::MessagePtr>> waiting_;  // at frozen clients
  std::vector<bool> frozen_, cut_off_;  // cut off: its server died while it was frozen
  std::vector<ClientFolder> folders_;
  std::vector<std::string> rows_;
  ServerFolder server_folder_;
  std::deque<Letter> letters_;
  std::uint64_t lives_ = 0;
  double wait_for_return_;
  double now_ = 0;
};

}  // namespace fedvs::testing
