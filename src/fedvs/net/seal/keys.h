// Keys for sealing messages between clients: X25519 (RFC 7748).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace fedvs::seal {

inline constexpr std::size_t kKeyBytes = 32;
using PublicKey = std::array<std::uint8_t, kKeyBytes>;

// 32 secret bytes in memory of their own: locked where the system allows it, between guard pages,
// left out of core dumps, zeroed when they go. Costs four pages.
class SecretKey {
 public:
  static SecretKey generate();  // from the operating system
  static SecretKey copy_of(std::span<const std::uint8_t, kKeyBytes> bytes);  // wipe yours
  std::span<const std::uint8_t, kKeyBytes> bytes() const {
    return std::span<const std::uint8_t, kKeyBytes>(memory_.get(), kKeyBytes);
  }
  // In constant time.
  friend bool operator==(const SecretKey& a, const SecretKey& b);

 private:
  friend class Sealer;
  SecretKey();
  std::uint8_t* data() { return memory_.get(); }
  struct Free {
    void operator()(std::uint8_t* memory) const;
  };
  std::unique_ptr<std::uint8_t[], Free> memory_;
};

struct KeyPair {
  PublicKey public_key;
  SecretKey secret_key;
  static KeyPair generate();
  static KeyPair of(SecretKey secret_key);
};

}  // namespace fedvs::seal
