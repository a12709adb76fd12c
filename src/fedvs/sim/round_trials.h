// Dry runs of one job with several seeds, as many as make the mean time of a round reliable.
#pragma once
#include <cstdint>
#include <optional>

#include "fedvs/sim/dry_run.h"

namespace fedvs::sim {

// Virtual seconds of a round once the warm-up is over. From seeds of its own: runs that differ in
// sim.seed alone get the same K.
struct RoundTime {
  double mean = 0;
  double spread = 0;  // standard deviation of the seeds' means
  bool interpolated = false;
};

class RoundTrials {
 public:
  // kBadJob when there is no such central model.
  static Result<RoundTrials> create(const Job& job, const PublicFacts& facts);
  std::optional<RoundTime> round_time(int blocks) const;  // none if a run would fail

 private:
  struct Effort {
    std::size_t seeds;
    std::size_t skipped;  // rounds of warm-up, and until the models are as old as they get
    std::size_t measured;
  };
  RoundTrials(const Job& job, const PublicFacts& facts, double central_macs);
  static Effort effort_for(const Job& job, std::size_t clients);
  Result<double> seconds_per_round(int blocks, std::int64_t seed) const;
  Job job_;
  PublicFacts facts_;
  double central_macs_;  // of a forward pass, per row
  Effort effort_;
};

}  // namespace fedvs::sim
