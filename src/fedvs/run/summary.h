// How a run ended, for people and for machines.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "fedvs/job/job.h"
#include "fedvs/run/recorder.h"
#include "fedvs/sim/trial.h"

namespace fedvs::run {

nlohmann::json summary_json(const Job& job, sim::Trial& trial, Recorder& recorder,
                            const std::string& run);
std::string summary_text(const Job& job, sim::Trial& trial, Recorder& recorder,
                         const std::string& run);
// With train.patience, the models of the lowest validation loss are the run's; otherwise the last.
inline bool keeps_best(const Job& job) { return job.train.patience > 0; }

}  // namespace fedvs::run
