// A whole job in one process: all parties, made from the job and its prepared data.
//   auto world = World::create(job, prepared, observer).value();
//   world->run(stop);            // trains; world->status() says how it ended
// save() and restore() bring a run back exactly: the control flow does not depend on numbers, so a
// restore replays it without arithmetic in seconds and puts the saved numbers in.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/prepared.h"
#include "fedvs/job/job.h"
#include "fedvs/sim/learner.h"
#include "fedvs/sim/seeded_secrets.h"
#include "fedvs/sim/shared_masks.h"
#include "fedvs/sim/simulator.h"
#include "fedvs/sim/trial.h"

namespace fedvs::sim {

class World final : public Trial {
 public:
  // `observer` outlives the world. Features are consumed. K = "auto": the fastest (forecast.h).
  static Result<std::unique_ptr<World>> create(const Job& job, data::PreparedJob prepared,
                                               protocol::Observer& observer);
  // The same parties without rows, weights and arithmetic, which no time depends on: run for its
  // records' times. `central_macs`: of the central model's forward pass, per row.
  static Result<std::unique_ptr<World>> dry(const Job& job, protocol::Agreement agreement,
                                            double central_macs, protocol::Observer& observer);

  ~World() override;

  void run(const std::function<bool()>& stop = {}) override;
  Status status() const override;
  bool done() const override { return server_->done(); }

  Parts save() override;
  Status restore(const Parts& parts) override;

  int client_count() const override { return agreement_.shape.parties; }
  int epochs() const override { return agreement_.epochs; }
  std::uint64_t rounds_per_epoch() const override;
  double training_seconds(double at) const override { return simulator_->training_seconds(at); }
  double training_ended() const override { return server_->training_ended(); }
  double setup_seconds() const override { return simulator_->setup_seconds(); }
  double bytes_per_client() const override;
  double wait_for_all(std::uint64_t round, std::size_t samples) const override;

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
  std::uint64_t slowest_client() const;  // gradients that all have applied
  Status restore_numbers(const Parts& parts);
  Status make_clients(data::PreparedJob& prepared);  // consumes the features
  void add_client(int number, protocol::LocalModel model, std::unique_ptr<protocol::CodedRows> rows,
                  protocol::ClientOptions options);
  Result<std::unique_ptr<protocol::CodedRows>> rows_of(int client);
  using Labels = std::array<std::vector<int>, data::kParts>;
  void make_server(std::unique_ptr<model::CentralModel> central, Labels labels,
                   protocol::Observer& observer);
  Status make_dry_clients();
  void set_numbers(Numbers numbers);

  Job job_;
  protocol::Agreement agreement_;
  coding::LagrangeCode code_;
  SeededSecrets secrets_;
  Delays delays_;
  std::unique_ptr<SharedBatches> batches_;
  std::optional<SharedMasks> masks_;                // none in the paper's opening
  std::vector<std::shared_ptr<ClientWork>> works_;  // of the clients
  std::vector<std::unique_ptr<protocol::Client>> clients_;
  std::unique_ptr<Learner> learner_;
  std::unique_ptr<protocol::Server> server_;
  std::unique_ptr<Simulator> simulator_;
  class Mute;
  std::unique_ptr<Mute> mute_;  // silences the observer during a replay
  bool started_ = false;
};

}  // namespace fedvs::sim
