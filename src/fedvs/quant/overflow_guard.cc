#include "fedvs/quant/overflow_guard.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fedvs/base/check.h"

namespace fedvs::quant {
namespace {

using field::u128;

u128 norm_squared(std::span<const std::int32_t> values) {
  u128 sum = 0;
  for (std::int32_t value : values) {
    const std::int64_t wide = value;
    sum += static_cast<std::uint64_t>(wide * wide);
  }
  return sum;
}

std::vector<std::int32_t> scaled_towards_zero(std::span<const std::int32_t> column, double factor) {
  std::vector<std::int32_t> scaled;
  for (std::int32_t value : column) scaled.push_back(static_cast<std::int32_t>(factor * value));
  return scaled;
}

}  // namespace

// For integers a, b:  sqrt(a b) <= (M-1) / (2N)  <=>  a b <= floor((M-1)^2 / (4 N^2)).
OverflowGuard::OverflowGuard(const field::Ring& ring, int parties) {
  FEDVS_CHECK(parties >= 1, "at least one client");
  const u128 top = ring.modulus() - 1, clients = static_cast<unsigned>(parties);
  limit_ = top * top / (4 * clients * clients);
}

void OverflowGuard::add_rows(std::span<const std::int32_t> rows, std::size_t cols) {
  FEDVS_CHECK(cols > 0 && rows.size() % cols == 0, "whole rows");
  for (std::size_t at = 0; at < rows.size(); at += cols) {
    row_norm_squared_ = std::max(row_norm_squared_, norm_squared(rows.subspan(at, cols)));
  }
}

bool OverflowGuard::allows(std::span<const std::int32_t> column) const {
  return row_norm_squared_ == 0 || norm_squared(column) <= limit_ / row_norm_squared_;
}

double OverflowGuard::project(std::span<std::int32_t> column, std::span<float> weights) const {
  if (allows(column)) return 1.0;
  const double room = static_cast<double>(limit_) / static_cast<double>(row_norm_squared_);
  double factor = std::min(1.0, std::sqrt(room / static_cast<double>(norm_squared(column))));
  std::vector<std::int32_t> scaled = scaled_towards_zero(column, factor);
  while (!allows(scaled)) {  // the factor itself was rounded up
    factor *= 1.0 - 0x1p-40;
    scaled = scaled_towards_zero(column, factor);
  }
  std::copy(scaled.begin(), scaled.end(), column.begin());
  for (float& weight : weights) weight = static_cast<float>(factor * static_cast<double>(weight));
  return factor;
}

std::uint64_t OverflowGuard::max_row_norm_squared() const {
  const u128 most = std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(std::min(row_norm_squared_, most));
}

}  // namespace fedvs::quant
