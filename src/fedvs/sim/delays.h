// The paper's straggler pattern: exponential delays with a mean per client.
//   a seeded permutation orders the clients; the first have mean 0.1 s, the i-th of the S
//   stragglers 2 + 4 i / N. Sharing a model: the mean times ln(N)^2 / b.
// Each delay is keyed by (seed, client, round, upload | share): the same for every method.
#pragma once
#include <cstdint>
#include <vector>

#include "fedvs/job/job.h"

namespace fedvs::sim {

class Delays {
 public:
  Delays(const SimJob& job, int parties, std::size_t batch_rows);
  double upload(int client, std::uint64_t round) const;  // seconds
  double share(int client, std::uint64_t round) const;
  double mean(int client) const { return means_[static_cast<std::size_t>(client)]; }
  int stragglers() const { return stragglers_; }

 private:
  double draw(int client, std::uint64_t round, std::uint64_t kind, double mean) const;
  std::uint64_t seed_;
  int stragglers_ = 0;
  double share_factor_;
  std::vector<double> means_;  // 0: no delay
};

}  // namespace fedvs::sim
