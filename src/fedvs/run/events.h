// events.jsonl: one JSON object per line, one line per round and for what happens between.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "fedvs/store/line_log.h"

namespace fedvs::run {

class EventLog {
 public:
  static Result<EventLog> create(const std::filesystem::path& path);
  // As store::LineLog::resume; an event belongs to the round in its key "round".
  static Result<EventLog> resume(const std::filesystem::path& path, std::int64_t round);
  Status append(const nlohmann::json& event);

 private:
  explicit EventLog(store::LineLog lines) : lines_(std::move(lines)) {}
  store::LineLog lines_;
};

// All events, event i from line i + 1. kCorrupt with the line's number for a line that is no JSON
// object; a torn last line is left out.
Result<std::vector<nlohmann::json>> read_events(const std::filesystem::path& path);

}  // namespace fedvs::run
