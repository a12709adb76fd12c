// A whole job in one process: all parties, made from the job and its prepared data.
//   auto world = World::create(job, prepared, observer).value();
//   world->run(stop);            // trains; world->status() says how it ended
// save() and restore() bring a run back exactly: the control flow does not depend on numbers, so a
// restore replays it without arithmetic in seconds and puts the saved numbers in.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/prepared.h"
#include "fedvs/job/job.h"
#include "fedvs/sim/seeded_secrets.h"
#include "fedvs/sim/simulator.h"

namespace fedvs::sim {

class World {
 public:
  // `observer` outlives the world. Features are consumed.
  static Result<std::unique_ptr<World>> create(const Job& job, data::PreparedJob prepared,
                                               protocol::Observer& observer);

  ~World();

  void run(const std::function<bool()>& stop = {});
  // An error, or kStopped while there is more to do.
  Status status() const;
  bool done() const { return server_->done(); }

  using Parts = std::map<std::string, std::string>;
  Parts save();
  Status restore(const Parts& parts);  // kCorrupt; only on a world that has not run

  // Takes over the trained models of another world's parts, to predict with.
  Status adopt(const Parts& parts);

  const protocol::Agreement& agreement() const { return agreement_; }
  const coding::LagrangeCode& code() const { return code_; }
  protocol::Server& server() { return *server_; }
  protocol::Learner& learner() { return *learner_; }
  std::vector<std::unique_ptr<protocol::Client>>& clients() { return clients_; }
  Simulator& simulator() { return *simulator_; }
  SharedBatches* batches() { return batches_.get(); }  // null where shares are kept
  const Delays& delays() const { return delays_; }
  SecretSource& secrets() { return secrets_; }

 private:
  World(const Job& job, protocol::Agreement agreement, coding::LagrangeCode code);
  Status replay(std::uint64_t events);
  std::string save_gradients() const;
  Status restore_gradients(const std::string& bytes);
  Status make_clients(data::PreparedJob& prepared);  // consumes the features
  Result<std::unique_ptr<protocol::CodedRows>> rows_of(int client);
  Status make_server(data::PreparedJob prepared, protocol::Observer& observer);

  Job job_;
  protocol::Agreement agreement_;
  coding::LagrangeCode code_;
  SeededSecrets secrets_;
  Delays delays_;
  std::unique_ptr<SharedBatches> batches_;
  std::vector<std::unique_ptr<protocol::Client>> clients_;
  std::unique_ptr<protocol::Learner> learner_;
  std::unique_ptr<protocol::Server> server_;
  std::unique_ptr<Simulator> simulator_;
  class Mute;
  std::unique_ptr<Mute> mute_;  // silences the observer during a replay
  bool started_ = false;
};

}  // namespace fedvs::sim
