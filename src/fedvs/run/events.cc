#include "fedvs/run/events.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "fedvs/base/files.h"

namespace fedvs::run {
namespace {

Result<nlohmann::json> parse_event(std::string_view line) {
  auto event = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!event.is_object()) return Error{ErrorCode::kCorrupt, "not a JSON object"};
  return event;
}

Result<std::optional<std::int64_t>> round_of(std::string_view line) {
  FEDVS_TRY(const auto event, parse_event(line));
  const auto round = event.find("round");
  if (round == event.end()) return std::optional<std::int64_t>();
  if (!round->is_number_integer()) return Error{ErrorCode::kCorrupt, "\"round\" is no integer"};
  return std::optional(round->get<std::int64_t>());
}

}  // namespace

Result<EventLog> EventLog::create(const std::filesystem::path& path) {
  FEDVS_TRY(store::LineLog lines, store::LineLog::create(path));
  return EventLog(std::move(lines));
}

Result<EventLog> EventLog::resume(const std::filesystem::path& path, std::int64_t round) {
  FEDVS_TRY(store::LineLog lines, store::LineLog::resume(path, round, round_of));
  return EventLog(std::move(lines));
}

Status EventLog::append(const nlohmann::json& event) {
  FEDVS_CHECK(event.is_object(), "an event is a JSON object");
  // Text from outside may not be UTF-8; a log line must not fail for that.
  return lines_.append(event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<std::vector<nlohmann::json>> read_events(const std::filesystem::path& path) {
  FEDVS_TRY(const std::string text, read_file(path));
  std::vector<nlohmann::json> events;
  std::size_t begin = 0;
  for (;;) {
    const auto end = text.find('\n', begin);
    if (end == std::string::npos) return events;
    auto event = parse_event(std::string_view(text).substr(begin, end - begin));
    if (!event) {
      return Error{ErrorCode::kCorrupt, fmt::format("{}:{}: {}", path.string(), events.size() + 1,
                                                    event.error().message)};
    }
    events.push_back(std::move(*event));
    begin = end + 1;
  }
}

}  // namespace fedvs::run
