// All parties in one process under a virtual clock: the other driver of the protocol core is the
// network. Compute really happens; its duration, the delays and the bandwidth are added to the
// virtual clock, so a straggler of ten seconds costs nothing.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "fedvs/drive/task_queue.h"
#include "fedvs/job/job.h"
#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/server/server.h"
#include "fedvs/sim/client_work.h"
#include "fedvs/sim/delays.h"
#include "fedvs/sim/event_queue.h"
#include "fedvs/sim/links.h"
#include "fedvs/sim/shared_batches.h"
#include "fedvs/sim/speeds.h"

namespace fedvs::sim {

struct Traffic {
  std::uint64_t sent = 0, received = 0;  // bytes, evaluation not counted
};

class Simulator {
 public:
  struct Parties {
    protocol::Server& server;
    std::vector<std::unique_ptr<protocol::Client>>& clients;
    std::vector<std::shared_ptr<ClientWork>>& works;  // of the clients
    SharedBatches* batches;  // null where clients keep the shares of all rows
  };
  Simulator(const SimJob& job, const Delays& delays, const Speeds& speeds, Parties parties);
  ~Simulator();  // waits for arithmetic that has begun: the clients live until then

  void start();  // everybody says hello
  // Runs until the server is done or failed, `events` have been processed, or `stop` says so.
  void run(std::uint64_t events, const std::function<bool()>& stop);
  bool idle() const { return events_.empty(); }
  std::uint64_t events() const { return events_.processed(); }
  // Does the arithmetic that clients have left for later, all clients at the same time.
  void compute();
  // Whether it computes at all. kReplayed: what is left for later when a sum is opened is dropped.
  void set_numbers(Numbers numbers);
  // kBadJob from when a client's model did not fit the ring; nothing happens any more then.
  const Status& status() const { return status_; }

  double now() const { return events_.now(); }
  double setup_seconds() const { return training_from_ < 0 ? 0 : training_from_; }
  double training_seconds(double at) const { return at - setup_seconds(); }
  const Traffic& traffic(int party) const { return traffic_[index(party)]; }
  const Links& links() const { return links_; }

  // ---- for tests: a client's machine stops for good; a message is changed on its way
  void kill(int client, double at);
  using Tamper = std::function<protocol::MessagePtr(int from, int to, protocol::MessagePtr)>;
  void set_tamper(Tamper tamper) { tamper_ = std::move(tamper); }

 private:
  struct Machine {
    drive::TaskQueue queue;
    bool busy = false, dead = false;
  };
  static std::size_t index(int party) { return static_cast<std::size_t>(party + 1); }
  Machine& party(int number) { return machines_[index(number)]; }

  void submit(int number, protocol::Tasks tasks);
  void start_next(int number);
  protocol::Effects execute(int number, const protocol::Task& task);
  void finish(int number, protocol::Effects effects);
  protocol::Effects run_measured(int number, protocol::Task& task, double& seconds);
  void dispatch(int from, protocol::Outgoing message);
  void transmit(int from, protocol::Outgoing message);
  void arrive(int from, const protocol::Outgoing& message);
  void deliver(int to, const protocol::MessagePtr& message);
  double delay(int from, const protocol::Outgoing& message) const;
  int lane(const protocol::Outgoing& message) const;
  void compute_later(int number);
  void watch_deadline();
  void notice_training();

  const SimJob& job_;
  const Delays& delays_;
  const Speeds speeds_;
  protocol::Server& server_;
  std::vector<std::unique_ptr<protocol::Client>>& clients_;
  std::vector<std::shared_ptr<ClientWork>>& works_;
  SharedBatches* batches_;
  Numbers numbers_ = Numbers::kComputed;
  const bool measured_, relayed_;  // compute and topology, asked for with every task and message
  EventQueue events_;
  Links links_;
  std::vector<Machine> machines_;
  std::vector<Traffic> traffic_;
  double training_from_ = -1, watched_deadline_ = -1;
  Tamper tamper_;
  Status status_;
};

}  // namespace fedvs::sim
