// Bytes as text that people copy and read to each other.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fedvs/base/digest.h"

namespace fedvs::deploy {

std::optional<std::string> from_hex(std::string_view text);  // nothing but pairs of hex digits
std::optional<std::array<std::uint8_t, 32>> from_hex_32(std::string_view text);
// "3fa1 09bc ...": sixteen groups of four, to be read over the phone.
std::string grouped(const Digest& digest);

}  // namespace fedvs::deploy
