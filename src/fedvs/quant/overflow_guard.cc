#include "fedvs/quant/overflow_guard.h"

#include <algorithm>
#include <limits>

#include "fedvs/base/check.h"

namespace fedvs::quant {
namespace {

using field::u128;

// Squares are below 2^63: their halves are summed apart, exactly for up to 2^32 values, in lanes
// that need no carries.
u128 norm_squared(std::span<const std::int32_t> values) {
  std::uint64_t low = 0, high = 0;
  for (std::int32_t value : values) {
    const std::uint32_t sign = static_cast<std::uint32_t>(value >> 31);
    const std::uint64_t size = (static_cast<std::uint32_t>(value) ^ sign) - sign;
    const std::uint64_t square = size * size;
    low += static_cast<std::uint32_t>(square);
    high += square >> 32;
  }
  return (u128{high} << 32) + low;
}

// Squares are at most 2^30: exact for 2^33 values.
u128 norm_squared(std::span<const std::int16_t> values) {
  std::int64_t sum = 0;
  for (std::int16_t value : values) sum += std::int32_t{value} * value;
  return static_cast<std::uint64_t>(sum);
}

template <class Integer>
u128 longest_norm_squared(std::span<const Integer> rows, std::size_t cols) {
  FEDVS_CHECK(cols > 0 && rows.size() % cols == 0, "whole rows");
  u128 longest = 0;
  for (std::size_t at = 0; at < rows.size(); at += cols) {
    longest = std::max(longest, norm_squared(rows.subspan(at, cols)));
  }
  return longest;
}

// For integers a, b:  sqrt(a b) <= (M-1) / (2N)  <=>  a b <= floor((M-1)^2 / (4 N^2)).
u128 limit_of(const field::Ring& ring, int parties) {
  FEDVS_CHECK(parties >= 1, "at least one client");
  const u128 top = ring.modulus() - 1, clients = static_cast<unsigned>(parties);
  return top * top / (4 * clients * clients);
}

}  // namespace

OverflowGuard::OverflowGuard(const field::Ring& ring, int parties)
    : parties_(parties), limit_(limit_of(ring, parties)) {}

void OverflowGuard::add_rows(std::span<const std::int32_t> rows, std::size_t cols) {
  lengthen(longest_norm_squared(rows, cols));
}

void OverflowGuard::add_rows(std::span<const std::int16_t> rows, std::size_t cols) {
  lengthen(longest_norm_squared(rows, cols));
}

// A division of 128 bits, so once here and not once per column.
void OverflowGuard::lengthen(u128 row_norm_squared) {
  if (row_norm_squared <= row_norm_squared_) return;
  row_norm_squared_ = row_norm_squared;
  room_ = limit_ / row_norm_squared_;
}

bool OverflowGuard::allows(std::span<const std::int32_t> column) const {
  return norm_squared(column) <= room_;
}

std::string OverflowGuard::ring_for(std::span<const std::int32_t> column) const {
  for (const std::string& name : field::Ring::names()) {
    const u128 limit = limit_of(field::Ring::create(name).value(), parties_);
    if (row_norm_squared_ == 0 || norm_squared(column) <= limit / row_norm_squared_) return name;
  }
  return {};
}

std::uint64_t OverflowGuard::max_row_norm_squared() const {
  const u128 most = std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::min(row_norm_squared_, most));
}

}  // namespace fedvs::quant
