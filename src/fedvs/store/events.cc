#include "fedvs/store/events.h"

#include <nlohmann/json.hpp>
#include <string>

namespace fedvs::store {
namespace {

Result<std::optional<std::int64_t>> round_of(std::string_view line) {
  const auto event = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!event.is_object()) return Error{ErrorCode::kCorrupt, "not a JSON object"};
  const auto round = event.find("round");
  if (round == event.end()) return std::optional<std::int64_t>();
  if (!round->is_number_integer()) return Error{ErrorCode::kCorrupt, "\"round\" is no integer"};
  return std::optional(round->get<std::int64_t>());
}

}  // namespace

Result<EventLog> EventLog::create(const std::filesystem::path& path) {
  FEDVS_TRY(LineLog lines, LineLog::create(path));
  return EventLog(std::move(lines));
}

Result<EventLog> EventLog::resume(const std::filesystem::path& path, std::int64_t round) {
  FEDVS_TRY(LineLog lines, LineLog::resume(path, round, round_of));
  return EventLog(std::move(lines));
}

Status EventLog::append(const nlohmann::json& event) {
  FEDVS_CHECK(event.is_object(), "an event is a JSON object");
  // Text from outside may not be UTF-8; a log line must not fail for that.
  return lines_.append(event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace fedvs::store
