// SHA-256, for hash chains, checksums and job digests.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fedvs {

using Digest = std::array<std::uint8_t, 32>;

class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher& add(std::span<const std::uint8_t> bytes);
  Hasher& add(std::string_view text);
  Hasher& add_u64(std::uint64_t value);  // little endian
  Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string to_hex(std::span<const std::uint8_t> bytes);

}  // namespace fedvs
