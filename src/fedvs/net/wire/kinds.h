// The kinds of messages by their field numbers in Message (proto/fedvs/v1/protocol.proto).
#pragma once
#include <cstdint>
#include <variant>

#include "fedvs/protocol/messages.h"

namespace fedvs::wire {

inline constexpr std::uint32_t kKinds = std::variant_size_v<protocol::Message>;

constexpr bool is_kind(std::uint32_t number) { return number >= 1 && number <= kKinds; }
// Which kinds may carry values beside their head.
bool carries_values(std::uint32_t kind);

}  // namespace fedvs::wire
