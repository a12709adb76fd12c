// One trial under way: from its folder as it was left, through one or two processes, to
// result.json.
#pragma once
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "fedvs/experiments/child.h"
#include "fedvs/experiments/folder.h"

namespace fedvs::experiments {

class TrialProcess {
 public:
  // Goes on from a checkpoint where there is one, else begins anew. kBadFile.
  static Result<TrialProcess> start(const Folder& folder, Trial trial,
                                    const std::filesystem::path& program);

  struct Ended {
    bool stopped = false;   // saved, on request
    std::string failure;    // why, or empty
    nlohmann::json result;  // otherwise; result.json holds it
  };
  // Nothing while it runs. A run that cannot be gone on with is begun anew, once.
  Result<std::optional<Ended>> poll();
  void stop();  // after the round under way

  const Trial& trial() const { return trial_; }
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  TrialProcess(const Folder& folder, Trial trial, std::filesystem::path program)
      : folder_(&folder), trial_(std::move(trial)), program_(std::move(program)) {}
  Status go_on();
  Status begin_anew();
  Status launch(std::vector<std::string> arguments);
  Result<std::optional<Ended>> finish();

  const Folder* folder_;
  Trial trial_;
  std::filesystem::path program_;
  std::optional<Child> child_;
  bool resumed_ = false, stopping_ = false;
  Clock::time_point started_ = Clock::now();
};

}  // namespace fedvs::experiments
