#include "fedvs/deploy/utc_time.h"

namespace fedvs::deploy {
namespace {

constexpr const char* kFormat = "%Y-%m-%dT%H:%M:%SZ";

}  // namespace

std::string utc_text(std::time_t moment) {
  std::tm parts{};
  gmtime_r(&moment, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, kFormat, &parts)};
}

std::optional<std::time_t> from_utc_text(const std::string& text) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), kFormat, &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&parts);
}

}  // namespace fedvs::deploy
