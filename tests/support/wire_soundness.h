// What must hold whatever bytes wire::decode is given: the claim of its property tests and fuzzer.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/net/wire/codec.h"
#include "fedvs/protocol/message_form.h"

namespace fedvs::testing {

inline bool is_reduced(const field::RingMatrix& matrix) {
  for (int plane = 0; !matrix.empty() && plane < matrix.ring().planes(); ++plane) {
    for (std::size_t r = 0; r < matrix.rows(); ++r) {
      for (std::size_t c = 0; c < matrix.cols(); ++c) {
        if (matrix.get(plane, r, c) >= matrix.ring().prime(plane)) return false;
      }
    }
  }
  return true;
}

// The values of whichever kind has some; a copy.
inline field::RingMatrix values_of(const protocol::Message& message) {
  return std::visit(
      [](const auto& kind) -> field::RingMatrix {
        if constexpr (requires { kind.values->clone(); }) {
          return kind.values ? kind.values->clone() : field::RingMatrix();
        } else if constexpr (requires { kind.values->matrix(); }) {
          return kind.values ? kind.values->matrix() : field::RingMatrix();
        } else {
          return {};
        }
      },
      message);
}

// What is wrong with how these bytes are read; empty: they are refused with a reason, or mean a
// message whose matrices are of the ring and which, written again, reads the same.
inline std::string unsound(const protocol::Agreement& agreement, std::string_view bytes) {
  const auto read = wire::decode(agreement, bytes);
  if (!read) {
    const bool reasoned = read.error().code == ErrorCode::kRefused && !read.error().message.empty();
    return reasoned ? "" : "refused without a reason";
  }
  const auto form = protocol::check_form(agreement, **read);
  if (!form && form.error().code != ErrorCode::kRefused) return "check_form fails otherwise";
  if (!is_reduced(values_of(**read))) return "a residue is not below its prime";
  const std::string written = wire::encode(**read);
  if (written.size() > wire::largest_message(agreement)) return "larger than the largest";
  const auto again = wire::decode(agreement, written);
  if (!again) return "read once, then refused: " + again.error().message;
  return wire::encode(**again) == written ? "" : "read twice, two meanings";
}

}  // namespace fedvs::testing
