// events.jsonl: one JSON object per line, one line per round and for what happens between.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "fedvs/store/line_log.h"

namespace fedvs::store {

class EventLog {
 public:
  static Result<EventLog> create(const std::filesystem::path& path);
  // As LineLog::resume; an event belongs to the round in its key "round".
  static Result<EventLog> resume(const std::filesystem::path& path, std::int64_t round);
  Status append(const nlohmann::json& event);

 private:
  explicit EventLog(LineLog lines) : lines_(std::move(lines)) {}
  LineLog lines_;
};

}  // namespace fedvs::store
