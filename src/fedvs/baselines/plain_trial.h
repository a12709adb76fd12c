// Plaintext split learning under the virtual clock: what all methods have in common. Each says how
// one round goes; epochs, evaluation, rates and patience are those of FedVS.
#pragma once
#include <memory>

#include "fedvs/baselines/parties.h"
#include "fedvs/protocol/server/records.h"
#include "fedvs/sim/delays.h"
#include "fedvs/sim/trial.h"

namespace fedvs::baselines {

class PlainTrial : public sim::Trial {
 public:
  void run(const std::function<bool()>& stop) override;
  bool done() const override { return done_; }
  Status status() const override;
  Parts save() override;
  Status restore(const Parts& parts) override;

  int client_count() const override { return parties_->clients(); }
  int epochs() const override { return job_.train.epochs; }
  std::uint64_t rounds_per_epoch() const override { return rounds_per_epoch_; }
  double training_seconds(double at) const override { return at; }
  double training_ended() const override { return ended_; }
  double setup_seconds() const override { return 0; }
  double bytes_per_client() const override { return machines_.bytes_per_client(); }
  double wait_for_all(std::uint64_t round, std::size_t samples) const override;

 protected:
  PlainTrial(const Job& job, std::unique_ptr<Parties> parties, protocol::Observer& observer);

  struct Round {
    std::vector<int> answered;
    double started = 0, ended = 0;
    double loss = 0;
    std::size_t samples = 0;
    std::vector<std::optional<std::uint64_t>> trained;  // per client: round of the model used
  };
  virtual Round train_round(std::uint64_t round) = 0;
  // Brings the clock and the batches to the end of `round` rounds without computing.
  virtual Status replay(std::uint64_t rounds) = 0;

  const Job& job() const { return job_; }
  Parties& parties() { return *parties_; }
  Machines& machines() { return machines_; }
  const sim::Delays& delays() const { return delays_; }

 private:
  void record(const Round& round);
  void end_epoch();
  void evaluate(data::Part part, bool last);
  bool patience_ends();

  Job job_;
  std::unique_ptr<Parties> parties_;
  sim::Delays delays_;
  Machines machines_;
  protocol::Observer& observer_;
  std::uint64_t rounds_per_epoch_, round_ = 0;
  double ended_ = 0;
  bool done_ = false;
  double best_validation_loss_ = std::numeric_limits<double>::infinity();
  int evaluations_without_gain_ = 0;
};

// Methods wait, ignore, vafl and wait-dp. Features are consumed, the observer outlives the trial.
// kBadJob where the job's networks or aggregation cannot work with the data.
Result<std::unique_ptr<sim::Trial>> make_plain_trial(const Job& job, data::PreparedJob prepared,
                                                     protocol::Observer& observer);

}  // namespace fedvs::baselines
