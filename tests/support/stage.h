// Parties that can be killed and started again, in one process and without a network: messages go
// from hand to hand in order, time passes only when nothing else happens. The drivers that run them
// are those of the network (fedvs/drive). Each party has a "folder"
// (bytes that it saved) of its own, which a test may keep, lose or roll back.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/coding/lagrange.h"
#include "fedvs/model/client_network.h"
#include "fedvs/net/seal/signing.h"
#include "fedvs/sim/seeded_secrets.h"
#include "tests/support/stage_folder.h"
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

// Plans are signed, and clients compare them. Unless the sets say so, nobody waits for that: R
// clients go on by themselves.
class Stage {
 public:
  explicit Stage(const Sets& sets, double wait_for_return = 1000);
  void sign_nothing() { signs_ = false; }       // before start(): as in the simulator
  void another_run_for(int n) { astray_ = n; }  // before start(): told of another run
  // The server goes without a word, and the test takes its place: with its key, its seat on the
  // relay and the messages that are under way.
  void take_over();
  void send_as_server(int to, protocol::MessagePtr message) {
    send(protocol::kServer, to, std::move(message));
  }
  void deliver_all() {
    while (deliver_next()) {
    }
  }
  ~Stage();

  void start();                                  // the server and all clients
  Status make_server();                          // from its folder, to be looked at; kCorrupt
  void start_server();                           // from its folder, if it left anything in it
  void start_client(int n);                      // from its folder
  void come_back(int n);                         // the same process, over a new connection
  void kill_client(int n, bool noticed = true);  // by the server, whose connection breaks
  void kill_server();
  // Asked when the server is about to save: true, and it dies instead, having sent nothing.
  std::function<bool()> dies_before_saving;
  void freeze_client(int n) { frozen_[index(n)] = true; }  // keeps its messages
  void thaw_client(int n);
  // Until the server is done or failed, `stop` says so, or nothing happens any more.
  void run(const std::function<bool()>& stop = {});
  void run_until_round(std::uint64_t round);
  // After the end, which its owner saves; then clients say that they have saved theirs, and what
  // was sent arrives, and what the server lets wait passes.
  void finish_server();
  void report_finished(int n);
  void settle();

  bool server_runs() const { return server_ != nullptr; }
  bool alive(int n) const { return clients_[index(n)] != nullptr; }
  protocol::Server& server();
  const protocol::Learner& learner() const { return *learner_; }
  protocol::Client& client(int n);
  ClientFolder& folder(int n) { return folders_[index(n)]; }
  ServerFolder& server_folder() { return server_folder_; }
  std::string& rows_of(int n) { return rows_[index(n)]; }  // what its row ids are, in a word
  // Of its own rows, when it is started next: as its folder would remember it.
  protocol::SharingId& sharing_of(int n) { return sharings_[index(n)]; }
  // Of earlier runs over the same rows, as its folder would remember them; kServer: the server's.
  protocol::Groups& groups_of(int n) {
    return n == protocol::kServer ? own_groups_ : groups_[index(n)];
  }
  const protocol::Agreement& agreement() const { return agreement_; }
  double now() const { return now_; }
  std::string describe();  // the newest plan, and who lacks what of it

  Recorder recorder;
  std::uint64_t save_every = 4;                                          // rounds, of clients
  int max_catch_up = 10000;                                              // of the next server
  std::map<std::uint64_t, std::shared_ptr<const protocol::Plan>> plans;  // sent, by revision
  // Rounded weights as shared, by client and step: told whenever a client is saved.
  std::map<std::pair<int, protocol::StepNumber>, std::vector<std::int32_t>> rounded;
  std::function<bool(int from, int to, const protocol::Message&)> lose;  // true: never arrives
  // What a party makes of a message before it sends it.
  std::function<protocol::MessagePtr(int from, int to, protocol::MessagePtr)> tamper;
  void say(int from, int to, protocol::Message message);  // what nobody's state machine says
  std::uint64_t sent = 0;                                 // messages, by all
  // Seconds that a message is on its way; none: it is there at once.
  std::function<double(int from, int to, const protocol::Message&)> takes;
  const seal::SigningKey& server_key() const { return server_key_; }
  const Digest& run_name() const { return run_; }
  const coding::LagrangeCode& code() const { return code_; }
  const data::PreparedJob& prepared_job() const { return prepared_; }

 private:
  struct Letter {
    int from, to;
    protocol::MessagePtr message;
  };
  static std::size_t index(int n) { return static_cast<std::size_t>(n); }
  class Life;
  class ServerLife;
  void check_server(const Status& told);
  void send(int from, int to, protocol::MessagePtr message);
  bool deliver_next();
  bool pass_time();
  void deliver(const Letter& letter);
  void save_client(int n);

  Job job_;
  data::PreparedJob prepared_;
  protocol::Agreement agreement_;
  coding::LagrangeCode code_;
  std::vector<std::unique_ptr<LivedSecrets>> secrets_;  // of all lives
  std::unique_ptr<protocol::Learner> learner_;
  std::unique_ptr<ServerLife> server_;
  std::vector<std::unique_ptr<Life>> clients_;
  std::vector<std::deque<protocol::MessagePtr>> waiting_;  // at frozen clients
  std::vector<bool> frozen_, cut_off_;  // cut off: its server died while it was frozen
  std::vector<ClientFolder> folders_;
  std::vector<std::string> rows_;
  std::vector<protocol::SharingId> sharings_;
  std::vector<protocol::Groups> groups_;
  protocol::Groups own_groups_;  // the server's
  ServerFolder server_folder_;
  seal::SigningKey server_key_ = seal::SigningKey::generate();
  const Digest run_ = Hasher().add("a run on the stage").finish();
  const protocol::VerifyHead verify_ =
      [key = server_key_.public_key](std::string_view text, const protocol::Signature& signature) {
        return seal::verify(key, text, signature);
      };
  std::deque<Letter> letters_;
  std::multimap<double, Letter> on_their_way_;  // by when they arrive
  std::uint64_t lives_ = 0;
  double wait_for_return_;
  bool signs_ = true;
  int astray_ = -1;
  double now_ = 0;
};

}  // namespace fedvs::testing
