#include "fedvs/net/wire/text.h"

#include <cstdint>

namespace fedvs::wire {
namespace {

std::size_t length_by(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

// The code point that `bytes` begin with, of `length` bytes; 0 where they are not one.
std::uint32_t code_point(std::string_view bytes, std::size_t length) {
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (length == 0 || length > bytes.size()) return 0;
  std::uint32_t point = static_cast<unsigned char>(bytes[0]);
  if (length > 1) point &= 0x7fu >> length;
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(bytes[i]);
    if ((next & 0xc0) != 0x80) return 0;
    point = point << 6 | (next & 0x3fu);
  }
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return point < kSmallest[length] || point > 0x10ffff || surrogate ? 0 : point;
}

bool is_control(std::uint32_t point) { return point < 0x20 || (point >= 0x7f && point < 0xa0); }

}  // namespace

std::string printable(std::string_view bytes, std::size_t most) {
  std::string text;
  while (!bytes.empty()) {
    std::size_t length = length_by(static_cast<unsigned char>(bytes[0]));
    const std::uint32_t point = code_point(bytes, length);
    if (point == 0) length = 1;
    const std::string_view shown = is_control(point) ? "?" : bytes.substr(0, length);
    if (text.size() + shown.size() > most) break;
    text.append(shown);
    bytes.remove_prefix(length);
  }
  return text;
}

}  // namespace fedvs::wire
