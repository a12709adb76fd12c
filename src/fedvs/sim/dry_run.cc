#include "fedvs/sim/dry_run.h"

#include <algorithm>

#include "fedvs/sim/world.h"

namespace fedvs::sim {
namespace {

constexpr int kEndless = 1'000'000;  // epochs

class Openings final : public protocol::Observer {
 public:
  void on_round(const protocol::RoundRecord& record) override { times.push_back(record.opened); }
  std::vector<double> times;
};

// Rows that no plan of the first `rounds` names need not be shared; an evaluation of one chunk
// stands for those of many, which take no time either.
PublicFacts shortened(PublicFacts facts, const Job& job, std::size_t rounds) {
  const auto batch = static_cast<std::size_t>(job.train.batch_size);
  const auto blocks = static_cast<std::size_t>(job.code.blocks);  // a round is below batch + K rows
  auto& [train, validation, test] = facts.rows;
  train = std::min(train, rounds * (batch + blocks));
  validation = std::min(validation, batch);
  test = std::min(test, batch);
  return facts;
}

}  // namespace

Result<std::vector<double>> dry_run(Job job, const PublicFacts& facts, double central_macs,
                                    std::size_t rounds) {
  job.sim.compute = Compute::kModelled;
  job.train.epochs = kEndless;
  job.train.patience = 0;
  FEDVS_TRY(auto agreement, agree(job, shortened(facts, job, rounds)));
  Openings openings;
  FEDVS_TRY(auto world, World::dry(job, std::move(agreement), central_macs, openings));
  world->run([&] { return openings.times.size() >= rounds; });
  if (openings.times.size() < rounds) return world->status().error();
  for (double& time : openings.times) time = world->training_seconds(time);
  return std::move(openings.times);
}

}  // namespace fedvs::sim
