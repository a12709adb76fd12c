#include "fedvs/deploy/hex.h"

#include <algorithm>

namespace fedvs::deploy {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(16 * high + low);
  }
  return bytes;
}

std::optional<std::array<std::uint8_t, 32>> from_hex_32(std::string_view text) {
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != 32) return std::nullopt;
  std::array<std::uint8_t, 32> out;
  std::ranges::transform(*bytes, out.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
  return out;
}

std::string grouped(const Digest& digest) {
  const std::string digits = to_hex(digest);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 4) {
    if (i > 0) text += ' ';
    text.append(digits, i, 4);
  }
  return text;
}

}  // namespace fedvs::deploy
