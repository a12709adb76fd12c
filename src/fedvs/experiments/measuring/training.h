// A job on random data that trains as many rounds as one asks for, by this machine's clock.
//   auto training = Training::start(job, {.rows = 60000, .features = 784, .classes = 10}).value();
//   double seconds = training->run(training->rounds_per_epoch()).value().wall;
#pragma once
#include <cstdint>
#include <memory>

#include "fedvs/experiments/measuring/random_table.h"
#include "fedvs/sim/world.h"

namespace fedvs::measuring {

struct Seconds {
  double wall, cpu;  // cpu: of all threads
};

class Training {
 public:
  // Makes the parties and shares all data; `job` is made endless and never evaluates.
  static Result<std::unique_ptr<Training>> start(Job job, const TableShape& shape);

  double setup_seconds() const { return setup_seconds_; }
  std::uint64_t rounds_per_epoch() const;
  const protocol::Agreement& agreement() const { return world_->agreement(); }

  Result<Seconds> run(std::uint64_t rounds);
  // Uploads that reach the server per round: N when nobody's work is skipped. Runs `rounds` + 1.
  Result<double> uploads_per_round(std::uint64_t rounds);

 private:
  class Counter final : public protocol::Observer {
   public:
    std::uint64_t rounds = 0;
    void on_round(const protocol::RoundRecord&) override { ++rounds; }
  };
  Training() = default;
  Status run_until(const std::function<bool()>& stop);

  Counter counter_;
  std::unique_ptr<sim::World> world_;
  double setup_seconds_ = 0;
};

}  // namespace fedvs::measuring
