// Moments as people write them: "2026-11-16T09:30:00Z".
#pragma once
#include <ctime>
#include <optional>
#include <string>

namespace fedvs::deploy {

inline constexpr std::time_t kDay = 24 * 60 * 60;

std::string utc_text(std::time_t moment);
std::optional<std::time_t> from_utc_text(const std::string& text);

}  // namespace fedvs::deploy
