// Parts that several messages have in common, into generated types.
#pragma once
#include <span>
#include <string>

#include "fedvs/protocol/messages.h"
#include "fedvs/v1/protocol.pb.h"

namespace fedvs::wire {

inline std::string bytes_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write(const protocol::SignedHead& head, v1::Head& out);
void write(const protocol::Version& version, v1::Version& out);
void write(const protocol::Plan& plan, v1::Plan& out);
void write(const protocol::Groups& groups, v1::Groups& out);
void write(const protocol::Holdings& holdings, v1::Holdings& out);

}  // namespace fedvs::wire
