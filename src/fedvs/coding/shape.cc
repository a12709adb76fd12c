#include "fedvs/coding/shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace fedvs::coding {
namespace {

constexpr int kMost = 10'000;  // far above any real job; keeps the arithmetic below within int

Error bad(std::string message) { return {ErrorCode::kBadShape, std::move(message)}; }

Status in_range(std::string_view letter, std::string_view meaning, int value) {
  if (value >= 1 && value <= kMost) return {};
  return bad(
      fmt::format("{} = {} ({}) cannot be used; choose 1 to {}", letter, value, meaning, kMost));
}

std::string what_would_do(const Shape& shape) {
  const int parties = shape.parties, blocks = (parties - 1) / 2 + 1 - shape.colluding;
  const std::string more = fmt::format("use at least {} clients", shape.threshold());
  return blocks >= 1 ? fmt::format("{} or lower K to {}", more, blocks)
                     : fmt::format("{} or lower K and T", more);
}

}  // namespace

Status validate(const Shape& shape, const field::Ring& ring) {
  FEDVS_TRY_STATUS(in_range("N", "clients", shape.parties));
  FEDVS_TRY_STATUS(in_range("K", "segments", shape.blocks));
  FEDVS_TRY_STATUS(in_range("T", "colluding clients", shape.colluding));
  if (shape.threshold() > shape.parties) {
    return bad(fmt::format(
        "K = {} and T = {} need R = 2(K+T-1)+1 = {} answers, but there are only "
        "N = {} clients; {}",
        shape.blocks, shape.colluding, shape.threshold(), shape.parties, what_would_do(shape)));
  }
  const int points = shape.parties + shape.blocks + shape.colluding;
  if (static_cast<std::uint32_t>(points) > ring.points()) {
    return bad(fmt::format(
        "N + K + T = {} + {} + {} = {} points, but ring {} has only {}; use "
        "ring m31, or fewer clients",
        shape.parties, shape.blocks, shape.colluding, points, ring.name(), ring.points()));
  }
  return {};
}

int default_blocks(int parties, int colluding) {
  return std::max(1, (parties / 2 - 1) / 2 + 1 - colluding);
}

}  // namespace fedvs::coding
