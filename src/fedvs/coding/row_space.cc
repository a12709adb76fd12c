#include "fedvs/coding/row_space.h"

#include <algorithm>

#include "fedvs/base/check.h"

namespace fedvs::coding {
namespace {

using field::Residue;

constexpr std::uint32_t kSmall = 256;  // below: products fit 16 bits, inverses a table

// x mod p for x < 2^16, p < 2^8, without dividing: m = floor(2^23 / p) makes (x m) >> 23 at most
// one less than x / p, and x m < 2^32.
Residue small_remainder(Residue x, Residue m, Residue p) {
  const Residue rest = x - ((x * m) >> 23) * p;
  return rest >= p ? rest - p : rest;
}

}  // namespace

RowSpace::RowSpace(std::size_t width, std::uint32_t prime)
    : width_(width), prime_(prime), basis_(width * width), leading_(width) {
  for (Residue a = 0; prime < kSmall && a < prime; ++a) {
    inverses_.push_back(a == 0 ? 0 : field::inverse(a, prime));
  }
}

Residue RowSpace::inverse(Residue a) const {
  return inverses_.empty() ? field::inverse(a, prime_) : inverses_[a];
}

void RowSpace::reduce(std::span<Residue> row, std::size_t i, Residue factor) const {
  const Residue* const from = basis_.data() + i * width_;
  const Residue minus = prime_ - factor;
  if (prime_ < kSmall) {
    const Residue m = (Residue{1} << 23) / prime_;
    for (std::size_t c = 0; c < width_; ++c) {
      row[c] = small_remainder(row[c] + minus * from[c], m, prime_);
    }
    return;
  }
  for (std::size_t c = leading_[i]; c < width_; ++c) {
    row[c] = static_cast<Residue>((row[c] + std::uint64_t{minus} * from[c]) % prime_);
  }
}

void RowSpace::add(std::span<const Residue> row) {
  FEDVS_CHECK(row.size() == width_, "rows of one width");
  if (full()) return;
  const std::span<Residue> rest(basis_.data() + rank_ * width_, width_);
  std::ranges::copy(row, rest.begin());
  for (std::size_t i = 0; i < rank_; ++i) {
    if (const Residue factor = rest[leading_[i]]; factor != 0) reduce(rest, i, factor);
  }
  const auto first = std::ranges::find_if(rest, [](Residue value) { return value != 0; });
  if (first == rest.end()) return;
  leading_[rank_] = static_cast<std::size_t>(first - rest.begin());
  const Residue scale = inverse(*first);
  for (Residue& value : rest) value = field::multiply(value, scale, prime_);
  ++rank_;
}

}  // namespace fedvs::coding
