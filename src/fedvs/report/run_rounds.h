// What events.jsonl says about a run's rounds.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "fedvs/base/result.h"
#include "fedvs/report/report.h"

namespace fedvs::report {

struct RunRounds {
  Timeline timeline;
  std::size_t rounds = 0;  // of the run; the timeline holds the first kMostRounds of them
  std::size_t uploads_used = 0, uploads_late = 0;
  std::size_t models_used = 0, models_reused = 0;  // all clients and rounds
  std::size_t plans_revised = 0;
  Table notes;  // round, text
};
inline constexpr std::size_t kMostRounds = 5000;  // in a page, which stays a few megabytes then

// `clients`: N, 0 if unknown; then the highest number met. kCorrupt, with the number of the line,
// for an event that lacks what its kind must have. `name` is the file's, for that message.
Result<RunRounds> read_rounds(const std::vector<nlohmann::json>& events, int clients,
                              const std::string& name);

}  // namespace fedvs::report
