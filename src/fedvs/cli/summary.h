// How a run ended, for people and for machines.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "fedvs/cli/recorder.h"
#include "fedvs/job/job.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/sim/trial.h"

namespace fedvs::cli {

nlohmann::json summary_json(const Job& job, sim::Trial& trial, Recorder& recorder,
                            const std::string& run);
std::string summary_text(const Job& job, sim::Trial& trial, Recorder& recorder,
                         const std::string& run);
// What the exact sums may give away in this job, if that is much; else empty.
std::string exposure_warning(const protocol::Agreement& agreement);

}  // namespace fedvs::cli
