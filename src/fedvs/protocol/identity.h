// What a version of a model is called, and whose it is.
#pragma once
#include <array>
#include <compare>
#include <cstdint>

#include "fedvs/base/prng.h"

namespace fedvs::protocol {

inline constexpr int kServer = -1;  // clients are 0 .. N-1

// Drawn at random at every process start, and by a client whenever it has to connect again: what
// was made before a restart can be told from what was made after it.
struct Incarnation {
  std::array<std::uint8_t, 16> bytes{};
  static Incarnation draw(SecretSource& secrets, int party, std::uint64_t life = 0) {
    Incarnation drawn;
    secrets.stream(Purpose::kIncarnation, party, life).fill(drawn.bytes);
    return drawn;
  }
  // Tells the lives of one party apart where only honest parties compare them.
  std::uint32_t short_id() const {
    std::uint32_t first = 0;
    for (int i = 0; i < 4; ++i) first |= std::uint32_t{bytes[static_cast<std::size_t>(i)]} << 8 * i;
    return first;
  }
  auto operator<=>(const Incarnation&) const = default;
};

// One sharing of a client's rows: 16 random bytes, drawn by the client anew whenever the integers
// that it shares, or who holds them, change. The masks of the rows' shares are keyed by it: two
// sharings under one mask would tell their difference, which is the rows. Zero in a simulation,
// where everybody shares once.
struct SharingId {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const SharingId&) const = default;
};

using StepNumber = std::uint64_t;  // gradients applied

struct Version {
  StepNumber step = 0;
  Incarnation incarnation;
  auto operator<=>(const Version&) const = default;
};

}  // namespace fedvs::protocol
