#include "fedvs/party/refused.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/base/log.h"
#include "fedvs/deploy/utc_time.h"

namespace fedvs::party {
namespace {

using nlohmann::json;

constexpr const char* kFile = "refused.json";

// Whatever is in it: a note that cannot be read is one all the same.
std::string described(const std::filesystem::path& file) {
  const auto text = read_file(file);
  const json note = json::parse(text ? *text : "", nullptr, /*allow_exceptions=*/false);
  const auto part = [&](const char* key) {
    return note.is_object() && note.contains(key) && note[key].is_string()
               ? note[key].get<std::string>()
               : std::string();
  };
  std::string said = part("reason").empty() ? "for a reason that cannot be read" : part("reason");
  if (!part("at").empty()) said = fmt::format("{} (on {})", said, part("at"));
  if (!part("evidence").empty()) said += fmt::format("; proof: {}", part("evidence"));
  return said;
}

Status set_aside(const std::filesystem::path& folder) {
  std::string when = deploy::utc_text(std::time(nullptr));
  std::erase(when, ':');
  const auto to = folder / fmt::format("refused-{}.json", when);
  std::error_code failed;
  std::filesystem::rename(folder / kFile, to, failed);
  if (failed) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("cannot rename {} to {}: {}", (folder / kFile).string(), to.string(),
                             failed.message())};
  }
  log::warning("takes part again, on its operator's word; why it had refused is in {}",
               to.string());
  return {};
}

}  // namespace

Status note_refused(const std::filesystem::path& folder, const RefusedFor& refused) {
  const json note{{"reason", refused.reason},
                  {"revision", refused.revision},
                  {"at", deploy::utc_text(refused.at)},
                  {"evidence", refused.evidence}};
  return write_atomically(folder / kFile,
                          note.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

Status check_refused(const std::filesystem::path& folder, bool again) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / kFile, ignored)) return {};
  if (again) return set_aside(folder);
  return Error{ErrorCode::kRefused,
               fmt::format("this client refused to go on, to keep its data private: {}. It takes "
                           "part no more until its operator says so ({} keeps it). Talk to the "
                           "other clients and the server's operator first (docs/deploy.md), then "
                           "add --take-part-again",
                           described(folder / kFile), (folder / kFile).string())};
}

}  // namespace fedvs::party
