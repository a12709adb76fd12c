// What a sealed message is tied to: it opens only for the recipient, and only as what it was sent.
#pragma once
#include <array>
#include <cstdint>

#include "fedvs/base/digest.h"

namespace fedvs::seal {

using Life = std::array<std::uint8_t, 16>;  // drawn at every process start: an incarnation

struct Binding {
  Digest job{};
  int from = 0, to = 0;  // clients; a message cannot be turned back to its sender
  Life from_life{}, to_life{}, server_life{};
  std::uint32_t kind = 0;      // what sort of message
  std::uint64_t id = 0;        // which one of the sender's
  std::uint64_t position = 0;  // which part of it
  bool operator==(const Binding&) const = default;
};

}  // namespace fedvs::seal
