// Bytes of published examples.
#pragma once
#include <array>
#include <string>
#include <string_view>

namespace fedvs::seal {

inline std::string from_hex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

inline std::array<std::uint8_t, 32> key_from_hex(std::string_view text) {
  std::array<std::uint8_t, 32> key{};
  const std::string bytes = from_hex(text);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(bytes.at(i));
  return key;
}

}  // namespace fedvs::seal
