// Runs trials as processes of this very program, several at a time. What has ended is never run
// again; what was stopped goes on.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/experiments/folder.h"
#include "fedvs/experiments/trial.h"

namespace fedvs::experiments {

struct SweepState {
  std::size_t done = 0, total = 0;   // runs; failed ones are done
  std::vector<std::string> running;  // names of trials
  double share = 0;                  // of the expected time that is over
  double seconds_left = 0;
};

class SweepWatcher {
 public:
  virtual ~SweepWatcher() = default;
  virtual void on_ended(const Trial& trial, const nlohmann::json& result) = 0;
  virtual void on_failed(const Trial& trial, const std::string& why) = 0;
  virtual void on_state(const SweepState& state) = 0;  // several times a second
};

struct SweepOptions {
  std::filesystem::path program = "/proc/self/exe";
  int jobs = 1;                // runs at a time
  std::function<bool()> stop;  // asked several times a second
};

struct Failure {
  std::string trial, why;
};
struct SweepEnd {
  std::size_t ran = 0;  // now; the others had ended before
  std::vector<Failure> failed;
};

// Longest first, for two cores to end at about the same time. A run that fails does not hold the
// others up. kStopped once stop() says so and all runs have saved what they have; any other error
// is one of this process, such as a full disk. The caller holds the folder's lock.
Result<SweepEnd> sweep(const Folder& folder, std::vector<Trial> trials, const SweepOptions& options,
                       SweepWatcher& watcher);

// As many as there are cores, and as fit into the memory that is free.
int default_jobs();

}  // namespace fedvs::experiments
